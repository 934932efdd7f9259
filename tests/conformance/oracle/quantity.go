package main

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
)

type parseAnswer struct {
	In     string `json:"in"`
	OK     bool   `json:"ok"`
	String string `json:"string,omitempty"`
	Format string `json:"format,omitempty"`
	// The results of Value and MilliValue, omitted if zero. If the amount does not fit into 64 bits they have overflowed, so check that
	// before comparing them.
	Value     int64 `json:"value,omitempty"`
	Milli     int64 `json:"milli,omitempty"`
	ValueFits bool  `json:"valueFits"`
	MilliFits bool  `json:"milliFits"`
	Sign      int   `json:"sign"`
}

type pairAnswer struct {
	A   string `json:"a"`
	B   string `json:"b"`
	Cmp int    `json:"cmp"`
	Add string `json:"add"`
	Sub string `json:"sub"`
}

func answerQuantity(q question) any {
	switch {
	case q.Parse != nil:
		return parse(*q.Parse)
	case q.A != nil && q.B != nil:
		return pair(*q.A, *q.B)
	default:
		return failure{`a quantity question has "parse", or "a" and "b"`}
	}
}

func parse(text string) parseAnswer {
	reply := parseAnswer{In: text}
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return reply
	}
	reply.OK = true
	reply.Format = string(quantity.Format)
	reply.Sign = quantity.Sign()
	reply.Value = quantity.Value()
	reply.Milli = quantity.MilliValue()
	reply.ValueFits = within(quantity, resource.NewQuantity(math.MinInt64, resource.DecimalSI), resource.NewQuantity(math.MaxInt64, resource.DecimalSI))
	reply.MilliFits = within(quantity, resource.NewMilliQuantity(math.MinInt64, resource.DecimalSI), resource.NewMilliQuantity(math.MaxInt64, resource.DecimalSI))
	reply.String = quantity.String()
	return reply
}

// within reports whether the quantity is between the limits. Rounding does not matter, because the limits are whole numbers.
func within(quantity resource.Quantity, least, most *resource.Quantity) bool {
	return quantity.Cmp(*least) >= 0 && quantity.Cmp(*most) <= 0
}

func pair(textA, textB string) any {
	a, err := resource.ParseQuantity(textA)
	if err != nil {
		return failure{"a: " + err.Error()}
	}
	b, err := resource.ParseQuantity(textB)
	if err != nil {
		return failure{"b: " + err.Error()}
	}
	sum, difference := a.DeepCopy(), a.DeepCopy()
	sum.Add(b)
	difference.Sub(b)
	return pairAnswer{A: textA, B: textB, Cmp: a.Cmp(b), Add: canonical(sum), Sub: canonical(difference)}
}

// canonical formats the amount. String alone may return the cached input text.
func canonical(quantity resource.Quantity) string {
	number, suffix := quantity.CanonicalizeBytes(nil)
	return string(number) + string(suffix)
}
