package main

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var kinds = map[string]reflect.Type{
	"v1/Pod":                           reflect.TypeFor[corev1.Pod](),
	"v1/ConfigMap":                     reflect.TypeFor[corev1.ConfigMap](),
	"apps/v1/Deployment":               reflect.TypeFor[appsv1.Deployment](),
	"batch/v1/Job":                     reflect.TypeFor[batchv1.Job](),
	"resource.k8s.io/v1/ResourceClaim": reflect.TypeFor[resourcev1.ResourceClaim](),
}

// Only a few values each, so that items often have the same keys.
var (
	texts   = []any{"a", "b", "c", "d"}
	numbers = []any{int64(0), int64(1), int64(2), int64(80)}
	odd     = []any{nil, "a", int64(1), 1.5, true, []any{}, []any{"a"}, []any{[]any{}}, map[string]any{}, map[string]any{"a": nil},
		map[string]any{"name": "a"}, []any{map[string]any{"name": "a"}}, []any{nil}, map[string]any{"a": map[string]any{"b": nil, "c": "d"}}}
)

type generator struct{ *rand.Rand }

func (g generator) one(of []any) any { return of[g.Intn(len(of))] }

// chance is true once in n times.
func (g generator) chance(n int) bool { return g.Intn(n) == 0 }

func generate(r *rand.Rand) *question {
	g := generator{r}
	names := sortedKeys(kinds)
	q := &question{Kind: names[g.Intn(len(names))]}
	q.Live = g.value(kinds[q.Kind], 0)
	switch g.Intn(4) {
	case 0:
		q.Type, q.Patch = "json", g.operations(q.Live)
	case 1:
		q.Type, q.Patch = "merge", g.merge(q.Live, g.value(kinds[q.Kind], 0), false)
		if g.chance(20) {
			q.Patch = g.one(odd[1:])
		}
	default:
		q.Type, q.Patch = "strategic", g.mergeMaps(q.Live.(map[string]any), g.value(kinds[q.Kind], 0).(map[string]any), true)
	}
	return q
}

// value returns JSON of the type, with fewer fields the deeper it is.
func (g generator) value(t reflect.Type, depth int) any {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return "2026-01-02T03:04:05Z"
	case reflect.TypeFor[metav1.MicroTime]():
		return "2026-01-02T03:04:05.000000Z"
	case reflect.TypeFor[metav1.FieldsV1](), reflect.TypeFor[runtime.RawExtension]():
		return map[string]any{"a": g.one(odd)}
	case reflect.TypeFor[resource.Quantity]():
		return g.one([]any{"1", "500m", "6Gi"})
	case reflect.TypeFor[intstr.IntOrString]():
		return g.one([]any{int64(80), "http"})
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.value(t.Elem(), depth)
	case reflect.Struct:
		object := map[string]any{}
		g.fields(t, depth, object)
		return object
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "YQ=="
		}
		items := []any{}
		for range g.Intn(4) {
			items = append(items, g.value(t.Elem(), depth+1))
		}
		return items
	case reflect.Map:
		object := map[string]any{}
		for range g.Intn(4) {
			object[g.one(texts).(string)] = g.value(t.Elem(), depth+1)
		}
		return object
	case reflect.String:
		return g.one(texts)
	case reflect.Bool:
		return g.chance(2)
	}
	return g.one(numbers)
}

func (g generator) fields(t reflect.Type, depth int, object map[string]any) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if field.Anonymous && name == "" || strings.Contains(rest, "inline") {
			g.fields(inner, depth, object)
			continue
		}
		scalar := inner.Kind() != reflect.Struct && inner.Kind() != reflect.Slice && inner.Kind() != reflect.Map
		merged := field.Tag.Get("patchStrategy") != ""
		if depth > 6 || (scalar && g.chance(2)) || (merged && g.chance(3)) || (!scalar && !merged && depth > 1 && !g.chance(4)) {
			continue
		}
		object[name] = g.value(inner, depth+1)
		if list, ok := object[name].([]any); ok && merged {
			g.setKeys(list, field.Tag.Get("patchMergeKey"))
		}
	}
}

// mergeKeys maps fields whose lists Kubernetes merges to the key of their items.
var mergeKeys = func() map[string]string {
	keys, seen := map[string]string{}, map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			if seen[t] {
				return
			}
			seen[t] = true
			for i := range t.NumField() {
				field := t.Field(i)
				if strings.Contains(field.Tag.Get("patchStrategy"), "merge") {
					name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
					keys[name] = field.Tag.Get("patchMergeKey")
				}
				visit(field.Type)
			}
		}
	}
	for _, kind := range kinds {
		visit(kind)
	}
	return keys
}()

// setKeys sets the keys of most items of a list.
func (g generator) setKeys(list []any, key string) {
	for _, item := range list {
		if object, ok := item.(map[string]any); ok && key != "" && object[key] == nil && !g.chance(200) {
			if object[key] = g.one(texts); strings.HasSuffix(strings.ToLower(key), "port") {
				object[key] = g.one(numbers)
			}
		}
	}
}

// merge returns a patch that changes `live` towards `other`.
func (g generator) merge(live, other any, strategic bool) any {
	if g.chance(200) {
		return g.one(odd)
	}
	if l, ok := live.(map[string]any); ok {
		if o, ok := other.(map[string]any); ok {
			return g.mergeMaps(l, o, strategic)
		}
	}
	if l, ok := live.([]any); ok {
		if o, ok := other.([]any); ok && strategic {
			return g.mergeLists(l, o)
		}
	}
	return other
}

func (g generator) mergeMaps(live, other map[string]any, strategic bool) map[string]any {
	patch := map[string]any{}
	both := map[string]any{}
	for _, from := range []map[string]any{live, other} {
		for key := range from {
			both[key] = nil
		}
	}
	for _, key := range sortedKeys(both) {
		l, inLive := live[key]
		o, inOther := other[key]
		list, isList := l.([]any)
		mergeKey, merges := mergeKeys[key]
		if strategic && isList && (merges && mergeKey == "" && g.chance(3) || g.chance(200)) {
			patch["$deleteFromPrimitiveList/"+key] = g.some(list)
		}
		if g.chance(3) {
			continue
		}
		switch {
		case g.chance(12):
			patch[key] = nil
		case inLive && inOther:
			patch[key] = g.merge(l, o, strategic)
		case inOther:
			patch[key] = o
		default:
			patch[key] = g.merge(l, l, strategic)
		}
		if change, ok := patch[key].([]any); ok && strategic && isList && (merges && g.chance(3) || g.chance(100)) {
			patch["$setElementOrder/"+key] = g.order(list, change)
		}
	}
	if strategic && g.chance(100) {
		patch["$patch"] = g.one([]any{"replace", "replace", "delete", "merge", "nonsense", int64(1)})
	}
	if strategic && g.chance(40) {
		retained := []any{}
		for _, key := range sortedKeys(patch) {
			if !strings.HasPrefix(key, "$") && !g.chance(100) {
				retained = append(retained, key)
			}
		}
		patch["$retainKeys"] = retained
	}
	return patch
}

func (g generator) mergeLists(live, other []any) []any {
	patch := []any{}
	for _, item := range append(slices.Clone(live), other...) {
		object, ok := item.(map[string]any)
		switch {
		case g.chance(2):
		case !ok || len(other) == 0 || g.chance(3):
			patch = append(patch, item)
		case g.chance(5):
			gone := scalars(object)
			gone["$patch"] = "delete"
			patch = append(patch, gone)
		default:
			change := g.merge(object, g.one(other), true)
			if changed, ok := change.(map[string]any); ok && !g.chance(100) {
				for key, value := range scalars(object) { // including the key
					changed[key] = value
				}
			}
			patch = append(patch, change)
		}
	}
	if g.chance(60) {
		patch = append(patch, map[string]any{"$patch": g.one([]any{"replace", "replace", "replace", "replace", "merge", "nonsense"})})
	}
	return patch
}

// order returns a list for $setElementOrder: the items of the patch, mostly in their order, mixed with those of the object.
func (g generator) order(live, patch []any) []any {
	order := []any{}
	for _, item := range append(g.some(live), patch...) {
		if object, ok := item.(map[string]any); ok {
			if _, directive := object["$patch"]; directive {
				continue
			}
			item = scalars(object)
		}
		order = append(order, item)
	}
	if g.chance(10) {
		g.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}

func (g generator) some(list []any) []any {
	some := []any{}
	for _, item := range list {
		if g.chance(2) {
			some = append(some, item)
		}
	}
	return some
}

func scalars(object map[string]any) map[string]any {
	kept := map[string]any{}
	for key, value := range object {
		switch value.(type) {
		case map[string]any, []any:
		default:
			kept[key] = value
		}
	}
	return kept
}

// operations returns a JSON patch of paths in the object, some of which do not exist.
func (g generator) operations(live any) any {
	list := []any{}
	for range 1 + g.Intn(4) {
		op := g.one([]any{"add", "add", "remove", "replace", "replace", "copy", "move", "test"})
		operation := map[string]any{"op": op, "path": g.path(live)}
		switch operation["op"] {
		case "copy", "move":
			operation["from"] = g.path(live)
		case "test":
			operation["value"] = g.at(live, operation["path"].(string))
			if g.chance(10) {
				operation["value"] = g.one(odd)
			}
		case "remove":
		default:
			operation["value"] = g.one(odd)
		}
		if g.chance(60) {
			operation[g.one([]any{"op", "path", "from", "value"}).(string)] = g.one(odd)
		}
		if g.chance(60) {
			delete(operation, g.one([]any{"op", "path", "from", "value"}).(string))
		}
		list = append(list, operation)
	}
	if g.chance(60) {
		return g.one(odd[1:])
	}
	return list
}

func (g generator) path(value any) string {
	path := ""
	for {
		var step string
		switch v := value.(type) {
		case map[string]any:
			keys := sortedKeys(v)
			if step = g.one([]any{"new", "a~1b", "m~0n", "~2", ""}).(string); len(keys) > 0 && !g.chance(12) {
				step = keys[g.Intn(len(keys))]
			}
			value = v[step]
		case []any:
			step, value = g.one([]any{"-", "-1", "-9", "9", "01", "x", ""}).(string), nil
			if len(v) > 0 && !g.chance(4) {
				i := g.Intn(len(v))
				step, value = fmt.Sprint(i), v[i]
			}
		default:
			if !g.chance(20) {
				return path
			}
			step = "a"
		}
		path += "/" + step
		if g.chance(4) {
			return path
		}
	}
}

// at returns the value at the path, or nil.
func (g generator) at(value any, path string) any {
	for _, step := range strings.Split(path, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

func sortedKeys[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
