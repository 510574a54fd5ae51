import { z } from 'zod'
import { Criterion, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { SetupStatus } from './setup-status.ts'

/** What the setup status tells of grades and judges; the edge has no way here. */
export const judgingProgress = endpoint({
  method: 'get',
  path: '/internal/judging/progress',
  summary: 'See how far a workspace is with grades and judges.',
  description: 'Numbers for the setup status.',
  service: 'judging',
  reply: z.object({ grades: SetupStatus.shape.grades, judges: SetupStatus.shape.judges }),
})

/** What the gate of an alias has to know of its judge. */
export const gateJudge = endpoint({
  method: 'get',
  path: '/internal/judging/gate-judges/:id',
  summary: 'Read a judge as a gate sees it.',
  description: 'As its owner reads it, and which instrument it is.',
  service: 'judging',
  params: z.strictObject({ id: z.string() }),
  reply: z.object({
    criterion: Criterion,
    instrument: z.int().min(1).describe('Grows with every change of what it judges by.'),
    over_cap: z.boolean().describe('Whether it may spend no more this week.'),
  }),
  errors: ['not_found'],
})

/** An exchange that a gate wants judged. */
export const GateItem = z.object({
  log_id: z.string(),
  segment: z.string(),
  tag: z.string().nullable(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  response: z
    .record(z.string(), z.unknown())
    .nullable()
    .default(null)
    .describe('A message to be judged in place of the logged answer; null for that one.'),
})
export type GateItem = z.infer<typeof GateItem>

/** `gate`: what was served; `shadow`: what a mirror answered in its place. */
export const GateSource = z.enum(['gate', 'shadow'])
export type GateSource = z.infer<typeof GateSource>

export const planGateJudgements = endpoint({
  method: 'post',
  path: '/internal/judging/gate-judgements',
  summary: 'Have exchanges judged for a gate.',
  description: 'Each once for an instrument of the judge, however often it is asked for; under the cap of its week.',
  service: 'judging',
  body: z.strictObject({
    criterion_id: z.string(),
    instrument: z.int().min(1),
    source: GateSource,
    shadow_of: z
      .string()
      .nullable()
      .default(null)
      .describe('What tells mirrors of one exchange apart, such as a model.'),
    items: z.array(GateItem).min(1).max(200),
  }),
  reply: z.object({ planned: z.int().describe('Those that were not planned before.') }),
  errors: ['not_found', 'conflict'],
})

export const readGateVerdicts = endpoint({
  method: 'post',
  path: '/internal/judging/gate-verdicts',
  summary: 'Read what a judge said of exchanges.',
  description: 'What it has not come to yet is `pending`; what is not known at all is left out.',
  service: 'judging',
  body: z.strictObject({
    criterion_id: z.string(),
    instrument: z.int().min(1),
    source: GateSource,
    shadow_of: z.string().nullable().default(null),
    log_ids: z.array(z.string()).min(1).max(1_000),
  }),
  reply: z.object({
    data: z.array(
      z.object({
        log_id: z.string(),
        state: z.enum(['pending', 'done', 'failed']).describe('`failed`: there is no verdict and never will be.'),
        verdict: Verdict.nullable(),
        failure: z.string().nullable(),
        grade: Verdict.nullable().describe('What people say of it, where a majority does.'),
      }),
    ),
  }),
  errors: ['not_found'],
})
