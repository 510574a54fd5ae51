import type { Router } from 'express'
import { type LogRouteDeps, logRoutes } from './logs.ts'
import { type SegmentRouteDeps, segmentRoutes } from './segments.ts'
import { type SetupRouteDeps, setupRoutes } from './setup.ts'
import { type TraceRouteDeps, traceRoutes } from './traces.ts'

export interface ReadRouteDeps extends LogRouteDeps, SegmentRouteDeps, SetupRouteDeps, TraceRouteDeps {}

/** Everything that only reads the log, and deletes single entries of it. */
export function readRoutes(router: Router, deps: ReadRouteDeps): void {
  // Before the entries: `/v1/logs/segments` is none.
  segmentRoutes(router, deps)
  logRoutes(router, deps)
  traceRoutes(router, deps)
  setupRoutes(router, deps)
}
