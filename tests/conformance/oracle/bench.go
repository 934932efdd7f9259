package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"time"

	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

const (
	batches       = 7
	defaultBudget = 10 * time.Second
	shortestBatch = 2 * time.Millisecond
	mostAtOnce    = 4096 // allocators created before a timed batch
)

// benchAnswer has one entry per case: a measurement, or the reason why there is none.
type benchAnswer struct {
	Cases []any `json:"cases"`
}

type measurement struct {
	NS         float64 `json:"ns"`
	Iterations int     `json:"iterations"`
	Bytes      float64 `json:"bytesPerOp"`
	Allocs     float64 `json:"allocsPerOp"`
}

type allocatorMeasurement struct {
	measurement
	AllocateOnlyNS float64 `json:"allocateOnlyNs"`
}

// benchAllocator times the decision only: objects are decoded and selectors compiled before the clock starts.
func benchAllocator(q question, timeout time.Duration) any {
	restore, err := choose(q.Allocator)
	if err != nil {
		return failure{err.Error()}
	}
	defer restore()
	reply := benchAnswer{Cases: make([]any, len(q.Cases))}
	for i, raw := range q.Cases {
		reply.Cases[i] = guarded(func() any { return benchDecision(raw, budget(q)/2, timeout) })
	}
	return reply
}

func benchDecision(raw json.RawMessage, limit, timeout time.Duration) any {
	d, err := parseDecision(raw)
	if err != nil {
		return failure{err.Error()}
	}
	if _, ok := decide(d, timeout); !ok { // warms the cache of compiled selectors
		return tooLong{true}
	}
	ctx := context.Background()

	// The answer was checked above; here only the time matters.
	whole := measure(limit, nil, func(int) {
		if allocator, err := d.newAllocator(ctx); err == nil {
			_, _ = allocator.Allocate(ctx, d.node, d.claims)
		}
	})

	// An allocator caches the counters of a pool, so each call gets a new allocator.
	var ready []structured.Allocator
	prepare := func(n int) {
		ready = ready[:0]
		for range n {
			allocator, err := d.newAllocator(ctx)
			if err != nil {
				panic(err)
			}
			ready = append(ready, allocator)
		}
	}
	search := measure(limit, prepare, func(i int) { _, _ = ready[i].Allocate(ctx, d.node, d.claims) })
	return allocatorMeasurement{measurement: whole, AllocateOnlyNS: search.NS}
}

func benchCEL(q question, timeout time.Duration) any {
	reply := benchAnswer{Cases: make([]any, len(q.Cases))}
	for i, raw := range q.Cases {
		reply.Cases[i] = guarded(func() any { return benchSelector(raw, budget(q), timeout) })
	}
	return reply
}

func benchSelector(raw json.RawMessage, limit, timeout time.Duration) any {
	c, features, err := parseCEL(raw)
	if err != nil {
		return failure{err.Error()}
	}
	compiled := celCompiler(features).CompileCELExpression(c.Expression, cel.Options{DisableCostEstimation: true})
	if compiled.Error != nil {
		return failure{compiled.Error.Detail}
	}
	device := c.device()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	_, _, err = compiled.DeviceMatches(ctx, device)
	if err != nil && ctx.Err() != nil {
		return tooLong{true}
	}
	return measure(limit, nil, func(int) { _, _, _ = compiled.DeviceMatches(context.Background(), device) })
}

// budget returns the time for each case.
func budget(q question) time.Duration {
	total := defaultBudget
	if q.Seconds > 0 {
		total = time.Duration(q.Seconds * float64(time.Second))
	}
	return total / time.Duration(max(len(q.Cases), 1))
}

// measure runs batches of equal size, as large as the limit allows, and returns the median of their means.
// It calls prepare, if not nil, before each batch, outside the measured time.
func measure(limit time.Duration, prepare func(n int), run func(i int)) measurement {
	batch := func(n int) time.Duration {
		if prepare != nil {
			prepare(n)
		}
		start := time.Now()
		for i := range n {
			run(i)
		}
		return time.Since(start)
	}

	n := 1
	wanted := max(limit/(batches+1), shortestBatch)
	for n < 1<<24 {
		took := batch(n)
		if took >= wanted/2 || prepare != nil && n >= mostAtOnce {
			break
		}
		n *= 2
	}
	if prepare != nil {
		n = min(n, mostAtOnce)
	}

	var means [batches]float64
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range means {
		means[i] = float64(batch(n).Nanoseconds()) / float64(n)
	}
	runtime.ReadMemStats(&after)
	slices.Sort(means[:])
	total := float64(n * batches)
	return measurement{
		NS:         means[batches/2],
		Iterations: n * batches,
		Bytes:      float64(after.TotalAlloc-before.TotalAlloc) / total,
		Allocs:     float64(after.Mallocs-before.Mallocs) / total,
	}
}

// guarded keeps a panic in one case from ending the others.
func guarded(work func() any) (reply any) {
	defer func() {
		if reason := recover(); reason != nil {
			reply = crash{fmt.Sprint(reason)}
		}
	}()
	return work()
}
