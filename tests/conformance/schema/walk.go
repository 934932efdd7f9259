package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types with a special encoding.
var special = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():                                  "time",
	reflect.TypeFor[meta.MicroTime]():                             "microtime",
	reflect.TypeFor[meta.Duration]():                              "duration",
	reflect.TypeFor[meta.FieldsV1]():                              "any",
	reflect.TypeFor[resource.Quantity]():                          "quantity",
	reflect.TypeFor[intstr.IntOrString]():                         "int-or-string",
	reflect.TypeFor[runtime.RawExtension]():                       "any",
	reflect.TypeFor[apiextensions.JSON]():                         "any",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():       "any JSONSchemaProps",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():        "any JSONSchemaProps",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray](): "any JSONSchemaProps",
}

// Special types that server-side apply treats as objects, whose fields have separate owners. It treats the other ones as one value.
var openObjects = map[string]bool{"runtime.RawExtension": true, "v1.FieldsV1": true}

// entry is one type of the tables.
type entry struct {
	pkg, name string // "io.k8s.api.core.v1", "Pod"
	value     string // of a special type
	kind      *schema.GroupVersionKind
	atomic    bool
	fields    []field
}

// field is one line of a struct.
type field struct {
	name, typ, number string
	flags             []string
}

// walker collects all types that the kinds use.
type walker struct {
	comments comments
	seen     map[reflect.Type]*entry
	err      error
}

func (w *walker) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *walker) addKind(t reflect.Type, gvk schema.GroupVersionKind) {
	w.add(t).kind = &gvk
}

// add returns the entry of a struct or special type, and adds it if it is new.
func (w *walker) add(t reflect.Type) *entry {
	if known := w.seen[t]; known != nil {
		return known
	}
	e := &entry{value: special[t]}
	e.pkg, e.name = modelName(t)
	w.seen[t] = e
	if e.value == "" {
		e.atomic = w.comments.ofType(t).one("structType") == "atomic"
		w.addFields(e, t, "")
	}
	return e
}

// modelName returns the name of the type in OpenAPI.
func modelName(t reflect.Type) (string, string) {
	name := strings.ReplaceAll(strings.Replace(t.PkgPath(), "k8s.io", "io.k8s", 1), "/", ".") + "." + t.Name()
	if named, ok := reflect.Zero(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		name = named.OpenAPIModelName()
	}
	at := strings.LastIndex(name, ".")
	return name[:at], name[at+1:]
}

// addFields adds the fields of struct t in the order of their encoding. For an inlined struct, wrapped is the protobuf number of the message
// that contains its fields, or "-" if protobuf has none.
func (w *walker) addFields(e *entry, t reflect.Type, wrapped string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		number := protobufNumber(f)
		if f.Anonymous && name == "" {
			if wrapped != "" {
				w.fail("%v.%s: inlined twice", t, f.Name)
			}
			w.addFields(e, f.Type, cmp.Or(number, "-"))
			continue
		}
		if name == "" {
			w.fail("%v.%s: no name in JSON", t, f.Name)
		}
		if number == "" || wrapped == "-" {
			number = "-"
		} else if wrapped != "" {
			number = wrapped + "." + number
		}
		e.fields = append(e.fields, field{name, w.typeName(f.Type, e.pkg), number, w.flags(t, f, options)})
	}
}

func protobufNumber(f reflect.StructField) string {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// typeName returns the type's name in the tables, and adds the type to them. Names of the package itself are short.
func (w *walker) typeName(t reflect.Type, pkg string) string {
	switch {
	case special[t] != "":
		return w.structName(t, pkg)
	case t.Kind() == reflect.Pointer:
		return "*" + w.typeName(t.Elem(), pkg)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "bytes"
	case t.Kind() == reflect.Slice:
		return "[]" + w.typeName(t.Elem(), pkg)
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		return "map:" + w.typeName(t.Elem(), pkg)
	case t.Kind() == reflect.Struct:
		return w.structName(t, pkg)
	case t.Kind() == reflect.String, t.Kind() == reflect.Bool, t.Kind() == reflect.Int32, t.Kind() == reflect.Int64:
		return t.Kind().String()
	case t.Kind() == reflect.Interface:
		return "any"
	case t.Kind() == reflect.Float64:
		return "double"
	}
	w.fail("no word for the type %v", t)
	return ""
}

func (w *walker) structName(t reflect.Type, pkg string) string {
	if e := w.add(t); e.pkg != pkg {
		return e.pkg + "." + e.name
	} else {
		return e.name
	}
}

// flags returns how a field is encoded and merged.
func (w *walker) flags(t reflect.Type, f reflect.StructField, options string) []string {
	var flags []string
	marked := w.comments.ofField(t, f.Name)
	if marked == nil && w.comments.ofType(t) == nil {
		w.fail("%v: no source was read", t)
	}
	// encoding/json never treats a struct as empty.
	if strings.Contains(options, "omitzero") || (strings.Contains(options, "omitempty") && f.Type.Kind() != reflect.Struct) {
		flags = append(flags, "omit")
	}
	if marked.has("required") || (!marked.has("optional") && !strings.Contains(options, "omitempty")) {
		flags = append(flags, "required")
	}
	switch {
	case marked.one("listType") == "map":
		flags = append(flags, "map="+strings.Join(marked["listMapKey"], ","))
	case marked.one("listType") == "set":
		flags = append(flags, "set")
	case marked.one("mapType") == "atomic" || marked.one("structType") == "atomic":
		flags = append(flags, "atomic")
	case marked.one("structType") == "granular" || openObjects[strings.TrimPrefix(f.Type.String(), "*")]:
		flags = append(flags, "granular")
	}
	for _, strategy := range strings.Split(f.Tag.Get("patchStrategy"), ",") {
		switch key := f.Tag.Get("patchMergeKey"); {
		case strategy == "merge" && key != "":
			flags = append(flags, "patch="+key)
		case strategy == "merge":
			flags = append(flags, "patch")
		case strategy == "retainKeys":
			flags = append(flags, "retain-keys")
		}
	}
	if value := marked.one("default"); json.Valid([]byte(value)) {
		flags = append(flags, "default="+value)
	}
	return flags
}
