// Command schema writes the tables of src/apiserver/schema from the Go types of Kubernetes: the name and type of each field, and how it is
// encoded and merged. src/apiserver/schema/README.md describes the format of a table.
//
//	schema SOURCES FOLDER
//	schema decode
//
// SOURCES has a line "import-path folder" for each package whose comments are read. The tables are written to FOLDER. With "decode" it
// decodes request bodies like Kubernetes, one question and answer per line.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	events "k8s.io/api/events/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The kinds whose types are written, including the types of their fields. Their list kinds are added automatically.
var kinds = map[schema.GroupVersion][]string{
	core.SchemeGroupVersion: {"Namespace", "Node", "Pod", "ConfigMap", "Secret", "ServiceAccount", "Event", "Binding",
		"PodTemplate"},
	coordination.SchemeGroupVersion:   {"Lease"},
	scheduling.SchemeGroupVersion:     {"PriorityClass"},
	node.SchemeGroupVersion:           {"RuntimeClass"},
	apps.SchemeGroupVersion:           {"Deployment", "ReplicaSet"},
	autoscaling.SchemeGroupVersion:    {"Scale"},
	batch.SchemeGroupVersion:          {"Job"},
	policy.SchemeGroupVersion:         {"Eviction"},
	resource.SchemeGroupVersion:       {"DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"},
	apiextensions.SchemeGroupVersion:  {"CustomResourceDefinition"},
	authorization.SchemeGroupVersion:  {"SelfSubjectAccessReview", "SubjectAccessReview", "SelfSubjectRulesReview"},
	authentication.SchemeGroupVersion: {"TokenReview", "SelfSubjectReview", "TokenRequest"},
	events.SchemeGroupVersion:         {"Event"},
}

// Kinds that belong to all groups.
var shared = map[schema.GroupVersion][]any{
	{Version: "v1"}:         {meta.Status{}, meta.DeleteOptions{}, meta.WatchEvent{}},
	meta.SchemeGroupVersion: {meta.PartialObjectMetadata{}, meta.PartialObjectMetadataList{}, meta.Table{}},
}

func main() {
	var err error
	switch {
	case len(os.Args) == 3:
		err = run(os.Args[1], os.Args[2])
	case len(os.Args) == 2 && os.Args[1] == "decode":
		err = decode(os.Stdin, os.Stdout)
	default:
		fmt.Fprintln(os.Stderr, "usage: schema SOURCES FOLDER | schema decode")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func run(sources, folder string) error {
	comments, err := readComments(sources)
	if err != nil {
		return err
	}
	w := walker{comments: comments, seen: map[reflect.Type]*entry{}}
	if err := w.addKinds(); err != nil {
		return err
	}
	for name, text := range w.tables() {
		if err := os.WriteFile(filepath.Join(folder, name+".table"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apps.AddToScheme, authentication.AddToScheme, authorization.AddToScheme,
		autoscaling.AddToScheme, batch.AddToScheme, coordination.AddToScheme, core.AddToScheme, events.AddToScheme, node.AddToScheme,
		policy.AddToScheme, resource.AddToScheme, scheduling.AddToScheme, apiextensions.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

func (w *walker) addKinds() error {
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	for version, names := range kinds {
		for _, name := range names {
			for _, kind := range []string{name, name + "List"} {
				gvk := version.WithKind(kind)
				if !scheme.Recognizes(gvk) {
					if strings.HasSuffix(kind, "List") {
						continue
					}
					return fmt.Errorf("no kind %v", gvk)
				}
				object, err := scheme.New(gvk)
				if err != nil {
					return err
				}
				w.addKind(reflect.TypeOf(object).Elem(), gvk)
			}
		}
	}
	for version, objects := range shared {
		for _, object := range objects {
			t := reflect.TypeOf(object)
			w.addKind(t, version.WithKind(t.Name()))
		}
	}
	return w.err
}
