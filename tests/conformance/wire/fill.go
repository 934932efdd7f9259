package main

import (
	"math/rand"
	"reflect"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme, autoscalingv1.AddToScheme, batchv1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, eventsv1.AddToScheme, nodev1.AddToScheme, policyv1.AddToScheme,
		resourcev1.AddToScheme, schedulingv1.AddToScheme, apiextensionsv1.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

var (
	texts      = []string{"", "a", "gpu.example.com", "ünïcødé \U0001F600", "quote \" slash \\ line\nend", "<&>\u2028"}
	quantities = []string{"0", "1", "500m", "6Gi", "24576Mi", "1e3", "-3", "123456789123456789123", "0.5"}
	documents  = []string{"{}", `{"a":[1,2.50,null,"x"],"b":{"c":true}}`, `"text"`, "12", "[]", "false"}
	whole      = []int64{0, 1, -1, 127, 128, -129, 65536, 1<<31 - 1, -1 << 31}
)

func one[T any](r *rand.Rand, of []T) T { return of[r.Intn(len(of))] }

// special fills a value whose type is more than its fields. It returns false for other types.
func special(v reflect.Value, r *rand.Rand, depth int) bool {
	switch p := v.Addr().Interface().(type) {
	case *metav1.TypeMeta:
	case *metav1.Time:
		p.Time = time.Unix(r.Int63n(1<<33)-1<<31, 0)
	case *metav1.MicroTime:
		p.Time = time.Unix(r.Int63n(1<<33), r.Int63n(1000000)*1000)
	case *metav1.FieldsV1:
		p.SetRawString(`{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}`)
	case *resource.Quantity:
		*p = resource.MustParse(one(r, quantities))
	case *intstr.IntOrString:
		if *p = intstr.FromInt32(int32(one(r, whole))); r.Intn(2) == 0 {
			*p = intstr.FromString(one(r, texts))
		}
	case *runtime.RawExtension:
		p.Raw = []byte(documents[r.Intn(2)])
	case *apiextensionsv1.JSON:
		p.Raw = []byte(one(r, documents))
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		if p.Allows = r.Intn(2) == 0; p.Allows && r.Intn(2) == 0 {
			p.Schema = new(apiextensionsv1.JSONSchemaProps)
			fill(reflect.ValueOf(p.Schema).Elem(), r, depth+1)
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		schemas := make([]apiextensionsv1.JSONSchemaProps, 1+r.Intn(2))
		for i := range schemas {
			fill(reflect.ValueOf(&schemas[i]).Elem(), r, depth+1)
		}
		if p.JSONSchemas = schemas; r.Intn(2) == 0 {
			p.Schema, p.JSONSchemas = &schemas[0], nil
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if p.Property = []string{"a", "b"}; r.Intn(2) == 0 {
			p.Schema, p.Property = new(apiextensionsv1.JSONSchemaProps), nil
			fill(reflect.ValueOf(p.Schema).Elem(), r, depth+1)
		}
	default:
		return false
	}
	return true
}

// fill sets v, with fewer fields the deeper it is. Empty lists and maps stay nil, because protobuf has no difference between them.
func fill(v reflect.Value, r *rand.Rand, depth int) {
	if v.CanAddr() && special(v, r, depth) {
		return
	}
	sparse := r.Intn(4+depth*depth/4) >= 3
	switch v.Kind() {
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			fill(v.Field(i), r, depth+1)
		}
	case reflect.Pointer:
		if !sparse {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), r, depth+1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(one(r, texts)))
		} else if !sparse {
			v.Set(reflect.MakeSlice(v.Type(), 1+r.Intn(2), 2))
			for i := 0; i < v.Len(); i++ {
				fill(v.Index(i), r, depth+1)
			}
		}
	case reflect.Map:
		if !sparse {
			v.Set(reflect.MakeMap(v.Type()))
			for i := 0; i <= r.Intn(2); i++ {
				item := reflect.New(v.Type().Elem()).Elem()
				fill(item, r, depth+1)
				v.SetMapIndex(reflect.ValueOf(one(r, texts)).Convert(v.Type().Key()), item)
			}
		}
	case reflect.String:
		v.SetString(one(r, texts))
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Int32:
		v.SetInt(one(r, whole))
	case reflect.Int64:
		v.SetInt(one(r, append(whole, 1<<63-1, -1<<63)))
	case reflect.Float64:
		v.SetFloat(one(r, []float64{0, 1, -1.5, 1e21, 1e20, 1e-7, 0.000001, 3.0000000000000004, -1e300}))
	default:
		panic("cannot fill " + v.Type().String())
	}
}

func fillObject(object runtime.Object, r *rand.Rand) { fill(reflect.ValueOf(object).Elem(), r, 0) }
