import { z } from 'zod'
import { CalibrationEstimate, StartCalibration } from './calibrations.ts'
import { criterionParams } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { Improvement, Suggestions } from './judge-assist.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { Scan } from './scans.ts'

/** Not guarded, because a page shows it while its form is filled in. */
export const estimateCalibration = endpoint({
  method: 'post',
  path: '/session/criteria/:id/calibrations/estimate',
  summary: 'Estimate a calibration.',
  description: 'The rows that it would judge, its cost, and what the grades can prove.',
  service: 'judging',
  audience: 'session',
  permission: 'any',
  params: criterionParams,
  body: StartCalibration.omit({ dry_run: true }),
  reply: CalibrationEstimate,
  errors: ['not_found', 'model_not_found', 'unknown_provider'],
})

const Fields = z.record(z.string(), z.unknown())

/** A change of a judge by a person. */
export const CriterionEvent = z.object({
  object: z.literal('criterion.event'),
  id: z.string(),
  criterion_id: z.string(),
  kind: z.enum(['create', 'update', 'delete']),
  actor: z
    .object({ user_id: z.string(), key_id: z.string().nullable(), session_id: z.string().nullable() })
    .nullable()
    .describe('Null when no person made the change.'),
  request_id: z.string().nullable(),
  before: Fields.nullable().describe('The changed fields; all fields of a judge that was deleted.'),
  after: Fields.nullable(),
  created_at: z.iso.datetime(),
})
export type CriterionEvent = z.infer<typeof CriterionEvent>

export const listCriterionEvents = endpoint({
  method: 'get',
  path: '/session/judging/audit',
  summary: 'List changes of judges.',
  description: 'Newest first. Also those of judges that were deleted.',
  service: 'judging',
  audience: 'session',
  permission: 'owner_admin',
  query: z.strictObject({ criterion_id: z.string().optional(), limit: pageLimit, offset: pageOffset }),
  reply: pageOf(CriterionEvent),
})

export const listLatestScans = endpoint({
  method: 'get',
  path: '/session/scans',
  summary: 'List the newest finished scan of each judge in use.',
  description:
    'Scans of all traffic of judges of exchanges; without those of judges whose prompt or model was changed since. Their corrected rates hold for the population of the judge.',
  service: 'judging',
  audience: 'session',
  permission: 'any',
  reply: z.object({ object: z.literal('list'), data: z.array(Scan) }),
})

export const listImprovements = endpoint({
  method: 'get',
  path: '/session/criteria/:id/improvements',
  summary: 'List the improvements of a judge.',
  description: 'Newest first. Also those that still run, that failed, and that were made for an earlier prompt.',
  service: 'judging',
  audience: 'session',
  permission: 'any',
  params: criterionParams,
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Improvement),
  errors: ['not_found'],
})

export const listSuggestions = endpoint({
  method: 'get',
  path: '/session/suggestions',
  summary: 'List what was suggested to judge.',
  description: 'Newest first. Each is one reading of the traffic by a model.',
  service: 'judging',
  audience: 'session',
  permission: 'any',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Suggestions),
})
