// Checks a folder of CDI specs with the CDI project's own code, and shows what a container gets.
//
//	cdi_check FOLDER [ID,ID...]...
//
// Each argument is a container with those devices. Prints a JSON list with what was injected into each container's empty OCI spec.
// Exits with 1, with the reasons on stderr, if a spec is not valid or a device cannot be injected.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	// The project's module had the JSON schema until 0.8, and had this older name until 0.6. Both are later than the version of our specs.
	"github.com/container-orchestrated-devices/container-device-interface/schema"
	oci "github.com/opencontainers/runtime-spec/specs-go"
	"tags.cncf.io/container-device-interface/pkg/cdi"
)

type container struct {
	Env     []string                `json:"env"`
	Devices []oci.LinuxDevice       `json:"devices"`
	Allowed []oci.LinuxDeviceCgroup `json:"allowed"`
	Mounts  []oci.Mount             `json:"mounts"`
	Hooks   *oci.Hooks              `json:"hooks"`
}

func check(folder string) (*cdi.Cache, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no specs in %s", folder)
	}
	for _, path := range paths {
		if err := schema.BuiltinSchema().ValidateFile(path); err != nil {
			return nil, fmt.Errorf("%s: schema: %w", path, err)
		}
	}
	cache, err := cdi.NewCache(cdi.WithSpecDirs(folder), cdi.WithAutoRefresh(false))
	if err != nil {
		return nil, err
	}
	// Specs that are not valid, and devices with the same name.
	for path, errors := range cache.GetErrors() {
		return nil, fmt.Errorf("%s: %v", path, errors)
	}
	known := 0
	for _, vendor := range cache.ListVendors() {
		known += len(cache.GetVendorSpecs(vendor))
	}
	if known != len(paths) {
		return nil, fmt.Errorf("%d specs of %d files in %s", known, len(paths), folder)
	}
	return cache, nil
}

func inject(cache *cdi.Cache, ids []string) (*container, error) {
	spec := &oci.Spec{Process: &oci.Process{}, Linux: &oci.Linux{Resources: &oci.LinuxResources{}}}
	if _, err := cache.InjectDevices(spec, ids...); err != nil {
		return nil, err
	}
	return &container{spec.Process.Env, spec.Linux.Devices, spec.Linux.Resources.Devices, spec.Mounts, spec.Hooks}, nil
}

func run(folder string, containers []string) error {
	cache, err := check(folder)
	if err != nil {
		return err
	}
	injected := []*container{}
	for _, ids := range containers {
		one, err := inject(cache, strings.Split(ids, ","))
		if err != nil {
			return err
		}
		injected = append(injected, one)
	}
	return json.NewEncoder(os.Stdout).Encode(injected)
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: cdi_check FOLDER [ID,ID...]...")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
