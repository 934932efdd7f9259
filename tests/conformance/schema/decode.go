package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// question is a request body to decode, one per line.
type question struct {
	Group, Version, Kind string
	Body                 json.RawMessage
}

// answer has the object as kube-apiserver would return it after storing the body, and the unknown fields.
type answer struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Unknown []string        `json:"unknown,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// decode answers questions until the end of the input.
func decode(in io.Reader, out io.Writer) error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			text, failed := json.Marshal(answerTo(scheme, line))
			if failed != nil {
				return failed
			}
			if _, failed := out.Write(append(text, '\n')); failed != nil {
				return failed
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func answerTo(scheme *runtime.Scheme, line []byte) answer {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Error: "question: " + err.Error()}
	}
	object, err := newObject(scheme, schema.GroupVersionKind{Group: q.Group, Version: q.Version, Kind: q.Kind})
	if err != nil {
		return answer{Error: "question: " + err.Error()}
	}
	strict, err := kjson.UnmarshalStrict(q.Body, object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var a answer
	for _, found := range strict {
		if field, ok := found.(kjson.FieldError); ok && strings.HasPrefix(found.Error(), "unknown") {
			a.Unknown = append(a.Unknown, field.FieldPath())
		}
	}
	if object, err = stored(object, q.Kind); err != nil {
		return answer{Error: "store: " + err.Error()}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return answer{Error: "encode: " + err.Error()}
	}
	a.Value = text.Bytes()
	return a
}

func newObject(scheme *runtime.Scheme, gvk schema.GroupVersionKind) (any, error) {
	for version, objects := range shared {
		for _, object := range objects {
			if t := reflect.TypeOf(object); version == gvk.GroupVersion() && t.Name() == gvk.Kind {
				return reflect.New(t).Interface(), nil
			}
		}
	}
	return scheme.New(gvk)
}

// stored returns the object after a round trip through storage, which is protobuf. (CustomResourceDefinitions are stored as JSON, but once
// the server has set their status they have no lists that would show the difference.) An Eviction is not stored.
func stored(object any, kind string) (any, error) {
	type message interface {
		Marshal() ([]byte, error)
		Unmarshal([]byte) error
	}
	m, ok := object.(message)
	if !ok || kind == "Eviction" {
		return object, nil
	}
	data, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	back := reflect.New(reflect.TypeOf(object).Elem()).Interface()
	if err := back.(message).Unmarshal(data); err != nil {
		return nil, err
	}
	// Protobuf stores kind and apiVersion outside of the object.
	if from, ok := object.(runtime.Object); ok {
		back.(runtime.Object).GetObjectKind().SetGroupVersionKind(from.GetObjectKind().GroupVersionKind())
	}
	return back, nil
}
