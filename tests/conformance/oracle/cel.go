package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// celCase is a selector, and the device that it is evaluated for.
type celCase struct {
	Features                 json.RawMessage                                           `json:"features"`
	Expression               string                                                    `json:"expression"`
	Driver                   string                                                    `json:"driver"`
	Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute `json:"attributes"`
	Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity  `json:"capacity"`
	AllowMultipleAllocations *bool                                                     `json:"allowMultipleAllocations"`
}

func (c celCase) device() cel.Device {
	return cel.Device{
		Driver:                   c.Driver,
		AllowMultipleAllocations: c.AllowMultipleAllocations,
		Attributes:               c.Attributes,
		Capacity:                 c.Capacity,
	}
}

type compiler interface {
	CompileCELExpression(expression string, options cel.Options) cel.CompilationResult
}

// Building an environment takes tens of milliseconds, and the package caches only the latest one, so cache one for each set of gates.
var (
	caches    = map[cel.Features]*cel.Cache{}
	compilers = map[cel.Features]compiler{}
)

const cachedExpressions = 4096

// celFeatures returns the gates of the allocator that change the language.
func celFeatures(features structured.Features) cel.Features {
	return cel.Features{
		EnableConsumableCapacity: features.ConsumableCapacity,
		EnableListTypeAttributes: features.ListTypeAttributes,
	}
}

func celCache(features cel.Features) *cel.Cache {
	if caches[features] == nil {
		caches[features] = cel.NewCache(cachedExpressions, features)
	}
	return caches[features]
}

func celCompiler(features cel.Features) compiler {
	if compilers[features] == nil {
		compilers[features] = cel.GetCompiler(features)
	}
	return compilers[features]
}

type celAnswer struct {
	Compiles     bool    `json:"compiles"`
	CompileError string  `json:"compileError,omitempty"`
	MaxCost      uint64  `json:"maxCost"`
	Match        bool    `json:"match"`
	MatchError   string  `json:"matchError,omitempty"`
	ActualCost   *uint64 `json:"actualCost,omitempty"`
	// Evaluating again gave another result or cost: the expression depends on the order of a Go map.
	Unstable     bool `json:"unstable,omitempty"`
	UnstableCost bool `json:"unstableCost,omitempty"`
	// The evaluation changed the device: quantity functions add to a big decimal in place.
	Mutated bool `json:"mutated,omitempty"`
}

func parseCEL(raw json.RawMessage) (celCase, cel.Features, error) {
	var c celCase
	if len(raw) == 0 {
		return c, cel.Features{}, errors.New("no case")
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return c, cel.Features{}, fmt.Errorf("decode case: %w", err)
	}
	features, err := parseFeatures(c.Features)
	return c, celFeatures(features), err
}

func answerCEL(q question, timeout time.Duration) any {
	c, features, err := parseCEL(q.Case)
	if err != nil {
		return failure{err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()

	compiled := celCompiler(features).CompileCELExpression(c.Expression, cel.Options{})
	if compiled.Error != nil {
		return celAnswer{CompileError: compiled.Error.Detail}
	}
	reply := celAnswer{Compiles: true, MaxCost: compiled.MaxCost}
	before, err := json.Marshal(c)
	if err != nil {
		return failure{err.Error()}
	}
	for run := 0; run < max(q.Times, 1); run++ {
		match, details, err := compiled.DeviceMatches(ctx, c.device())
		if err != nil && ctx.Err() != nil {
			return tooLong{true}
		}
		cost := details.ActualCost()
		if run > 0 {
			reply.Unstable = reply.Unstable || match != reply.Match || (err != nil) != (reply.MatchError != "")
			reply.UnstableCost = reply.UnstableCost || valueOf(cost) != valueOf(reply.ActualCost)
			continue
		}
		reply.Match, reply.ActualCost = match, cost
		if err != nil {
			reply.MatchError = err.Error()
		}
	}
	after, err := json.Marshal(c)
	if err != nil {
		return failure{err.Error()}
	}
	reply.Mutated = !bytes.Equal(before, after)
	return reply
}

func valueOf(cost *uint64) uint64 {
	if cost == nil {
		return 0
	}
	return *cost
}
