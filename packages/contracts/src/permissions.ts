import type { Endpoint, Permission } from './endpoint.ts'

export interface Rule {
  readonly permission: Permission
  /** Whether the abuse guard counts calls: endpoints that create something paid for. */
  readonly guard: boolean
}

/**
 * Who may do what: one row for every endpoint. The edge enforces it, OpenAPI prints it, and a test
 * fails for an endpoint without a row and for a row without an endpoint.
 */
export const permissions: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['POST /v1/chat/completions', { permission: 'any', guard: false }],
  ['POST /v1/responses', { permission: 'any', guard: false }],
  ['GET /v1/responses/:id', { permission: 'any', guard: false }],
  ['DELETE /v1/responses/:id', { permission: 'any', guard: false }],
  ['POST /v1/responses/:id/cancel', { permission: 'any', guard: false }],
  ['GET /v1/responses/:id/input_items', { permission: 'any', guard: false }],
  ['POST /v1/messages', { permission: 'any', guard: false }],
  ['POST /v1/embeddings', { permission: 'any', guard: false }],
  ['POST /v1/rerank', { permission: 'any', guard: false }],
  ['POST /v2/rerank', { permission: 'any', guard: false }],
  ['GET /v1/models', { permission: 'any', guard: false }],
  ['GET /v1/models/*id', { permission: 'any', guard: false }],
  ['POST /v1/traces', { permission: 'any', guard: false }],
  ['POST /v1/otel/v1/traces', { permission: 'any', guard: false }],
  ['GET /v1/logs', { permission: 'any', guard: false }],
  ['GET /v1/logs/export', { permission: 'any', guard: false }],
  ['GET /v1/logs/segments', { permission: 'any', guard: false }],
  ['GET /v1/logs/:id', { permission: 'any', guard: false }],
  ['DELETE /v1/logs/:id', { permission: 'owner_admin', guard: false }],
  ['POST /v1/logs/import', { permission: 'owner_admin', guard: true }],
  ['GET /v1/traces', { permission: 'any', guard: false }],
  ['GET /v1/traces/:trace_id', { permission: 'any', guard: false }],
  ['GET /v1/traces/:trace_id/export', { permission: 'any', guard: false }],
  ['GET /v1/setup/status', { permission: 'any', guard: false }],
  ['POST /v1/datasets/from_logs', { permission: 'owner_admin', guard: true }],
  ['POST /v1/datasets', { permission: 'owner_admin', guard: true }],
  ['GET /v1/datasets', { permission: 'any', guard: false }],
  ['GET /v1/datasets/:id', { permission: 'any', guard: false }],
  ['GET /v1/datasets/:id/examples', { permission: 'any', guard: false }],
  ['GET /v1/datasets/:id/export', { permission: 'any', guard: false }],
  ['PATCH /v1/datasets/:id', { permission: 'owner_admin', guard: false }],
  ['DELETE /v1/datasets/:id', { permission: 'owner_admin', guard: false }],
  ['POST /v1/files', { permission: 'owner_admin', guard: false }],
  ['GET /v1/files', { permission: 'any', guard: false }],
  ['GET /v1/files/:id', { permission: 'any', guard: false }],
  ['GET /v1/files/:id/content', { permission: 'any', guard: false }],
  ['DELETE /v1/files/:id', { permission: 'owner_admin', guard: false }],
  ['POST /v1/criteria', { permission: 'owner_admin', guard: true }],
  ['GET /v1/criteria', { permission: 'any', guard: false }],
  ['POST /v1/criteria/suggest', { permission: 'owner_admin', guard: true }],
  ['GET /v1/criteria/suggest/:suggestion_id', { permission: 'any', guard: false }],
  ['GET /v1/criteria/:id', { permission: 'any', guard: false }],
  ['PATCH /v1/criteria/:id', { permission: 'owner_admin', guard: false }],
  ['DELETE /v1/criteria/:id', { permission: 'owner_admin', guard: false }],
  ['PUT /v1/criteria/:id/monitor', { permission: 'owner_admin', guard: false }],
  ['POST /v1/criteria/:id/judge', { permission: 'owner_admin', guard: false }],
  ['POST /v1/criteria/:id/calibrate', { permission: 'owner_admin', guard: true }],
  ['GET /v1/criteria/:id/calibrations', { permission: 'any', guard: false }],
  ['GET /v1/criteria/:id/calibrations/:calibration_id', { permission: 'any', guard: false }],
  ['GET /v1/criteria/:id/calibrations/:calibration_id/rows', { permission: 'any', guard: false }],
  ['POST /v1/criteria/:id/scan', { permission: 'owner_admin', guard: true }],
  ['GET /v1/criteria/:id/scans/:scan_id', { permission: 'any', guard: false }],
  ['GET /v1/criteria/:id/verdicts', { permission: 'any', guard: false }],
  ['GET /v1/criteria/:id/next_to_grade', { permission: 'any', guard: false }],
  ['POST /v1/criteria/:id/improve', { permission: 'owner_admin', guard: true }],
  ['GET /v1/criteria/:id/improvements/:improvement_id', { permission: 'any', guard: false }],
  ['POST /v1/labels', { permission: 'owner_admin', guard: true }],
  ['GET /v1/labels', { permission: 'any', guard: false }],
  ['POST /v1/labels/import', { permission: 'owner_admin', guard: true }],
  ['GET /v1/labels/export', { permission: 'any', guard: false }],
  ['GET /v1/labels/agreement', { permission: 'any', guard: false }],
  ['GET /v1/labels/:id', { permission: 'any', guard: false }],
  ['POST /v1/evals', { permission: 'owner_admin', guard: true }],
  ['POST /v1/evals/estimate', { permission: 'any', guard: false }],
  ['GET /v1/evals', { permission: 'any', guard: false }],
  ['GET /v1/evals/:id', { permission: 'any', guard: false }],
  ['POST /v1/evals/:id/cancel', { permission: 'owner_admin', guard: false }],
  ['GET /v1/evals/:id/samples', { permission: 'any', guard: false }],
  ['GET /v1/evals/:id/gate', { permission: 'any', guard: false }],
])

/** The key of an endpoint's row. */
export function permissionKey(endpoint: Pick<Endpoint, 'method' | 'path'>): string {
  return `${endpoint.method.toUpperCase()} ${endpoint.path}`
}
