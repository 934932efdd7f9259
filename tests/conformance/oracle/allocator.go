package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// allocatorCase is a case in the format of the vectors.
type allocatorCase struct {
	Features       json.RawMessage              `json:"features"`
	Node           *corev1.Node                 `json:"node"`
	DeviceClasses  classes                      `json:"deviceClasses"`
	ResourceSlices []*resourceapi.ResourceSlice `json:"resourceSlices"`
	Claims         []*resourceapi.ResourceClaim `json:"claims"`
	Allocated      struct {
		Devices          []deviceName `json:"devices"`
		Shares           []deviceName `json:"shares"`
		ConsumedCapacity []struct {
			Driver   string                                          `json:"driver"`
			Pool     string                                          `json:"pool"`
			Device   string                                          `json:"device"`
			Consumed map[resourceapi.QualifiedName]resource.Quantity `json:"consumed"`
		} `json:"consumedCapacity"`
	} `json:"allocated"`
}

// deviceName is "driver/pool/device" or "driver/pool/device/share", written as text, as {"id": text} or in its parts.
// Pool names may contain slashes, so the driver is split off at the front, and the device and share at the back.
type deviceName struct {
	driver, pool, device, share string
}

func (d *deviceName) UnmarshalJSON(data []byte) error {
	var parts struct{ ID, Driver, Pool, Device, ShareID string }
	if err := json.Unmarshal(data, &parts.ID); err != nil {
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
	}
	if parts.ID == "" {
		*d = deviceName{parts.Driver, parts.Pool, parts.Device, parts.ShareID}
		return nil
	}
	d.pool = parts.ID
	return nil
}

// split parses the text. Only the list that contains it tells whether it has a share.
func (d deviceName) split(withShare bool) (deviceName, error) {
	if d.driver != "" {
		return d, nil
	}
	text := d.pool
	last := func() string {
		cut := strings.LastIndexByte(text, '/')
		if cut < 0 {
			return ""
		}
		part := text[cut+1:]
		text = text[:cut]
		return part
	}
	var name deviceName
	if withShare {
		name.share = last()
	}
	name.device = last()
	driver, pool, found := strings.Cut(text, "/")
	if !found || name.device == "" {
		return name, fmt.Errorf("allocated device %q is not driver/pool/device", d.pool)
	}
	name.driver, name.pool = driver, pool
	return name, nil
}

// classes is the allocator's lister of DeviceClasses.
type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, "not found")
}

// parseFeatures returns the defaults of 1.36 if raw is absent, none for null and [], and exactly the gates of a list.
func parseFeatures(raw json.RawMessage) (structured.Features, error) {
	if len(raw) == 0 {
		return structured.Features{
			AdminAccess:            true,
			ConsumableCapacity:     true,
			DeviceBindingAndStatus: true,
			DeviceTaints:           true,
			PartitionableDevices:   true,
			PrioritizedList:        true,
		}, nil
	}
	var features structured.Features
	var gates []string
	if err := json.Unmarshal(raw, &gates); err != nil {
		return features, fmt.Errorf("features: %w", err)
	}
	for _, gate := range gates {
		switch gate {
		case "DRAAdminAccess":
			features.AdminAccess = true
		case "DRAConsumableCapacity":
			features.ConsumableCapacity = true
		case "DRADeviceBindingConditions+DRAResourceClaimDeviceStatus":
			features.DeviceBindingAndStatus = true
		case "DRADeviceTaints":
			features.DeviceTaints = true
		case "DRAListTypeAttributes":
			features.ListTypeAttributes = true
		case "DRAPartitionableDevices":
			features.PartitionableDevices = true
		case "DRAPrioritizedList":
			features.PrioritizedList = true
		default:
			return features, fmt.Errorf("features: unknown gate %q", gate)
		}
	}
	return features, nil
}

// decision is a case with all objects that the scheduler would have.
type decision struct {
	features structured.Features
	state    structured.AllocatedState
	classes  classes
	slices   []*resourceapi.ResourceSlice
	node     *corev1.Node
	claims   []*resourceapi.ResourceClaim
	cache    *cel.Cache
}

func parseDecision(raw json.RawMessage) (*decision, error) {
	if len(raw) == 0 {
		return nil, errors.New("no case")
	}
	var c allocatorCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("decode case: %w", err)
	}
	features, err := parseFeatures(c.Features)
	if err != nil {
		return nil, err
	}
	if c.Node == nil {
		return nil, errors.New("case has no node")
	}
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, device := range c.Allocated.Devices {
		name, err := device.split(false)
		if err != nil {
			return nil, err
		}
		state.AllocatedDevices.Insert(structured.MakeDeviceID(name.driver, name.pool, name.device))
	}
	for _, share := range c.Allocated.Shares {
		name, err := share.split(true)
		if err != nil {
			return nil, err
		}
		shareID := types.UID(name.share)
		state.AllocatedSharedDeviceIDs.Insert(
			structured.MakeSharedDeviceID(structured.MakeDeviceID(name.driver, name.pool, name.device), &shareID))
	}
	for _, use := range c.Allocated.ConsumedCapacity {
		id := structured.MakeDeviceID(use.Driver, use.Pool, use.Device)
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, use.Consumed))
	}
	if !features.ConsumableCapacity && !features.DeviceBindingAndStatus && !features.ListTypeAttributes {
		// The stable allocator uses the order of the slices, which in a scheduler is that of a Go map: any order is valid.
		slices.SortStableFunc(c.ResourceSlices, func(a, b *resourceapi.ResourceSlice) int { return strings.Compare(a.Name, b.Name) })
	}
	return &decision{
		features: features,
		state:    state,
		classes:  c.DeviceClasses,
		slices:   c.ResourceSlices,
		node:     c.Node,
		claims:   c.Claims,
		cache:    celCache(celFeatures(features)),
	}, nil
}

func (d *decision) newAllocator(ctx context.Context) (structured.Allocator, error) {
	return structured.NewAllocator(ctx, d.features, d.state, d.classes, d.slices, d.cache)
}

// channel returns the name of the implementation that Kubernetes chose. Its type is in an internal package, but its method is accessible.
func channel(allocator structured.Allocator) string {
	return reflect.ValueOf(allocator).MethodByName("Channel").Call(nil)[0].String()
}

// searchSteps returns the number of steps of the search, or -1 if the implementation does not count them.
func searchSteps(allocator structured.Allocator) int64 {
	stats := reflect.ValueOf(allocator).MethodByName("GetStats")
	if !stats.IsValid() {
		return -1
	}
	return stats.Call(nil)[0].FieldByName("NumAllocateOneInvocations").Int()
}

type expectation struct {
	Allocated        bool                           `json:"allocated"`
	Results          []resourceapi.AllocationResult `json:"results"`
	Error            string                         `json:"error,omitempty"`
	AllocateOneCalls int64                          `json:"allocateOneCalls"`
}

type allocatorAnswer struct {
	Expect  expectation `json:"expect"`
	Channel string      `json:"channel"`
	// The error is about this node only. Any other error ends the whole scheduling cycle.
	OnNode bool `json:"onNode,omitempty"`
	// Repeating the case gave another answer.
	Unstable bool `json:"unstable,omitempty"`
	// The decision changed its input: Kubernetes added to a quantity in place.
	Mutated bool `json:"mutated,omitempty"`
}

// choose restricts Kubernetes to one of its allocators, if the question names one, until the returned function is called.
// An allocator that does not support all of the features refuses.
func choose(name string) (func(), error) {
	switch name {
	case "":
		return func() {}, nil
	case "stable", "incubating", "experimental":
		structured.EnableAllocators(name)
		return func() { structured.EnableAllocators() }, nil
	default:
		return nil, fmt.Errorf("unknown allocator %q; known: stable, incubating, experimental", name)
	}
}

func answerAllocator(q question, timeout time.Duration) any {
	restore, err := choose(q.Allocator)
	if err != nil {
		return failure{err.Error()}
	}
	defer restore()
	var first allocatorAnswer
	var firstText []byte
	for run := 0; run < max(q.Times, 1); run++ {
		// Decode again, so that a run does not see changes of an earlier one.
		d, err := parseDecision(q.Case)
		if err != nil {
			return failure{err.Error()}
		}
		before := d.written()
		now, ok := decide(d, timeout)
		if !ok {
			return tooLong{true}
		}
		now.Mutated = !bytes.Equal(before, d.written())
		text, err := json.Marshal(comparable(now.Expect))
		if err != nil {
			return failure{err.Error()}
		}
		if run == 0 {
			first, firstText = now, text
		} else if !bytes.Equal(firstText, text) {
			first.Unstable = true
			break
		}
		first.Mutated = first.Mutated || now.Mutated
		if now.Channel != "stable" {
			break // the others sort the pools
		}
	}
	return first
}

// written returns the input of the decision as text.
func (d *decision) written() []byte {
	text, err := json.Marshal([]any{d.claims, d.slices, d.classes})
	if err != nil {
		panic(err)
	}
	return text
}

func decide(d *decision, timeout time.Duration) (allocatorAnswer, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()

	var reply allocatorAnswer
	allocator, err := d.newAllocator(ctx)
	if err == nil {
		reply.Channel = channel(allocator)
		reply.Expect.Results, err = allocator.Allocate(ctx, d.node, d.claims)
		reply.Expect.AllocateOneCalls = searchSteps(allocator)
	}
	if err != nil {
		if ctx.Err() != nil {
			return reply, false
		}
		reply.Expect.Error = err.Error()
		reply.OnNode = errors.Is(err, structured.ErrFailedAllocationOnNode)
	}
	reply.Expect.Allocated = err == nil && reply.Expect.Results != nil
	return reply, true
}

// comparable removes values that differ from run to run without a meaning: share IDs, the number of steps, and the text of an error, which
// may name a random attribute or contain pointers.
func comparable(e expectation) expectation {
	e.AllocateOneCalls = 0
	if e.Error != "" {
		e.Error = "error"
	}
	results := make([]resourceapi.AllocationResult, len(e.Results))
	for i := range e.Results {
		e.Results[i].DeepCopyInto(&results[i])
		for j := range results[i].Devices.Results {
			if share := results[i].Devices.Results[j].ShareID; share != nil {
				*share = ""
			}
		}
	}
	e.Results = results
	return e
}
