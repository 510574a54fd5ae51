import { z } from 'zod'
import { CriterionChecks, CriterionKind, checksModel } from './criterion-checks.ts'
import { endpoint, Nothing } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

export const trustStates = ['trustworthy', 'under-measured', 'borderline', 'misaligned', 'unmeasured'] as const
export const Trust = z.enum(trustStates)
export type Trust = z.infer<typeof Trust>

export const Verdict = z.enum(['pass', 'fail'])
export type Verdict = z.infer<typeof Verdict>

const rate = z.number().min(0).max(1)
/** Lower and upper bound of a rate's 95 % interval. */
export const RateInterval = z.tuple([rate, rate])

const gradesNeeded = z.int().min(0).nullable()

/** Evidence that a rate is at the bar, valid however often it is evaluated; at most 1,000,000. */
const eValue = z.number().min(0).nullable()

/** Whether gates of mode `auto`, evidence, rewards and routing may act on a judge. */
export const RightToAct = z.object({
  can_act: z
    .boolean()
    .describe(
      'Whether gates in mode `auto`, evidence and rewards may act on the judge. Besides `trust` it requires that both e-values reach `e_value_needed`, because `trust` is evaluated again with every calibration.',
    ),
  cannot_act_reason: z.string().nullable(),
  e_value_tpr: eValue.describe('Evidence that `tpr` reaches the bar, valid at any number of calibrations.'),
  e_value_tnr: eValue,
  e_value_needed: z
    .number()
    .describe(
      '40; more for a judge with the prompt and model of judges that were calibrated before it, and for one that had other prompts or models which were calibrated on some of the same items.',
    ),
  act_fail_grades_needed: gradesNeeded.describe(
    'Number of further grades of failing answers, drawn at random, with which `e_value_tpr` would be enough at the present rate; null when it is, or when 1,000 would not be enough.',
  ),
  act_pass_grades_needed: gradesNeeded,
})
export type RightToAct = z.infer<typeof RightToAct>

const capText =
  'Maximum cost per week of the monitor, gates and the check for drift, USD; 0, the default, for unlimited. The check for drift makes about 105 judgements a week while the judge is in use, and for 30 days after an eval whose judge may act.'

/** How often a judge agrees with itself. */
const Repeatability = z.object({
  rows: z.int().min(1).describe('Rows of the calibration that were judged a second time, drawn at random.'),
  same: z.int().min(0).describe('Rows of these on which the second verdict is the first one.'),
  rate,
  ci: RateInterval.describe('Exact 95 % interval (Clopper–Pearson).'),
})

export const repeatability = Repeatability.nullable()
  .default(null)
  .describe(
    'How often the judge gave the same verdict when it was asked about a graded item again: 5 % of the rows of its calibration, at least 20. Null without a calibration, after one of an older release, and when no row was judged twice. It is no part of `trust`: a judge may repeat its errors.',
  )

export const Criterion = z.object({
  object: z.literal('criterion'),
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  kind: CriterionKind.default('model'),
  judge_prompt: z.string().describe('The question that decides whether an answer fails. People grade by it.'),
  judge_model: z.string().describe(`\`${checksModel}\` when \`kind\` is \`code\`.`),
  checks: CriterionChecks.nullable()
    .default(null)
    .describe('What an answer must pass when `kind` is `code`; otherwise null.'),
  status: z.enum(['draft', 'retired']).describe('A `draft` can be used; `trust` states how reliable it is.'),
  source: z.enum(['human', 'assist_suggested']),
  unit: z.enum(['request', 'trace']),
  population: z.string().describe('Tag of the traffic that is judged; empty for all traffic.'),
  population_family: z.string().describe('Segment of the traffic that is judged; empty for all segments.'),
  tier: z
    .enum(['aligned', 'weak', 'misaligned', 'unmeasured'])
    .describe('Agreement by the raw rates. Gates use `trust`.'),
  trust: Trust.describe('Reliability that the evidence proves at the last calibration.'),
  ...RightToAct.shape,
  tpr: rate.nullable().describe('Share of the answers that people failed which the judge fails too.'),
  tnr: rate.nullable().describe('Share of the answers that people passed which the judge passes too.'),
  tpr_ci: RateInterval.nullable().describe('95 % Wilson interval, of the effective number of grades.'),
  tnr_ci: RateInterval.nullable().describe('95 % Wilson interval, of the effective number of grades.'),
  kappa: z.number().nullable().describe("Cohen's kappa."),
  repeatability,
  alignment_picked: z
    .boolean()
    .nullable()
    .describe('Whether the last calibration includes grades of items that people picked.'),
  alignment_n: z.int().nullable().describe('Number of grades of the last calibration.'),
  aligned_at: z.iso.datetime().nullable(),
  fail_grades_needed: gradesNeeded.describe(
    'Number of further grades of failing answers that would prove `tpr` at its current rate.',
  ),
  pass_grades_needed: gradesNeeded.describe(
    'Number of further grades of passing answers that would prove `tnr` at its current rate.',
  ),
  online_enabled: z.boolean().describe('True when a sample of new traffic is judged.'),
  online_percent: z.int().min(0).max(100),
  online_cap_usd: z.number().describe(capText),
  online_spent_usd: z.number().describe('What they cost this week, USD.'),
  drift_status: z.enum(['ok', 'flagged']),
  drift_signal: z
    .enum(['stale', 'quality_drop'])
    .nullable()
    .describe('`stale`: the judge must be calibrated again. `quality_drop`: fewer answers pass than before.'),
  drift_cause: z
    .enum(['judge', 'traffic'])
    .nullable()
    .describe('What changed: the verdicts of the judge on equal answers, or the answers. Null when it is not known.'),
  drift_reason: z.string().nullable(),
  drift_checked_at: z.iso.datetime().nullable(),
  drift_detectable: z
    .object({
      drop: rate.describe('Smallest drop of the pass rate that is found so, corrected for errors of the judge.'),
      within_days: z.int(),
      chance: rate,
      verdicts_per_day: z.number().describe('Of the monitor, the mean of the last seven complete days.'),
    })
    .nullable()
    .default(null)
    .describe(
      'What the monitor can find at its present share of the traffic: judge more of it to find smaller drops. Null without a calibration, while the monitor is off, with fewer than 50 verdicts before or in these days, and for a judge that is too weak.',
    ),
  drift_panel_spent_usd: z
    .number()
    .describe('The part of `online_spent_usd` that was spent on judging graded rows again, to find a changed judge.'),
  created_at: z.iso.datetime(),
})
export type Criterion = z.infer<typeof Criterion>

/** The smallest cap. Money is counted in micro-dollars; a smaller cap would be rounded to 0, which means unlimited. */
const minCapUsd = 0.000001
/** Maximum cost of a background run. */
export const maxCostUsd = z.number().min(minCapUsd).max(1_000_000)

/** Maximum characters of a judge's prompt. */
const maxPromptLength = 32_768
const name = storable(z.string().trim().min(1).max(200))
const description = storable(z.string().max(2_000)).nullable()
const judgePrompt = storable(z.string().trim().min(1).max(maxPromptLength))
const judgeModel = storable(z.string().min(1).max(200))
const scope = storable(z.string().max(200))
const percent = z.int().min(0).max(100)
const capUsd = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((usd) => usd === 0 || usd >= minCapUsd, `This must be 0 for no cap, or at least ${minCapUsd}.`)
  .describe(capText)

export const CreateCriterion = z.strictObject({
  name,
  kind: CriterionKind.default('model'),
  judge_prompt: judgePrompt.describe('The question that decides whether an answer fails. People grade by it.'),
  judge_model: judgeModel
    .nullish()
    .describe('The model that judges. Required when `kind` is `model`, and not allowed otherwise.'),
  checks: CriterionChecks.nullish().describe(
    'What an answer must pass. Required when `kind` is `code`, and not allowed otherwise.',
  ),
  description: description.default(null),
  unit: Criterion.shape.unit.default('request'),
  population: scope.default(''),
  population_family: scope.default(''),
  source: Criterion.shape.source.default('human'),
  online_enabled: z.boolean().default(false),
  online_percent: percent.default(5),
  online_cap_usd: capUsd.default(0),
})
export type CreateCriterion = z.infer<typeof CreateCriterion>

export const UpdateCriterion = z.strictObject({
  name: name.optional(),
  description: description.optional(),
  judge_prompt: judgePrompt.optional(),
  judge_model: judgeModel.optional(),
  checks: CriterionChecks.optional(),
  population: scope.optional(),
  population_family: scope.optional(),
  online_enabled: z.boolean().optional(),
  online_percent: percent.optional(),
  online_cap_usd: capUsd.optional(),
  status: Criterion.shape.status.optional(),
  /** Accepted by the schema, because they are refused with a code of their own. */
  unit: z.unknown().optional(),
  kind: z.unknown().optional(),
})
export type UpdateCriterion = z.infer<typeof UpdateCriterion>

export const criterionParams = z.strictObject({ id: z.string() })

export const createCriterion = endpoint({
  method: 'post',
  path: '/v1/criteria',
  summary: 'Create a judge.',
  description:
    'Its prompt states what makes an answer fail. No gate trusts it before it is calibrated. One of kind `code` judges by checks, which cost nothing.',
  service: 'judging',
  permission: 'owner_admin',
  guard: true,
  body: CreateCriterion,
  reply: Criterion,
  status: 201,
  requestHeaders: ['Idempotency-Key'],
  errors: ['unknown_parameter', 'model_not_found', 'unknown_provider', 'conflict', 'idempotency_conflict'],
})

export const listCriteria = endpoint({
  method: 'get',
  path: '/v1/criteria',
  summary: 'List judges.',
  description: 'Newest first.',
  service: 'judging',
  permission: 'any',
  query: z.strictObject({
    status: Criterion.shape.status.optional(),
    trust: Trust.optional(),
    unit: Criterion.shape.unit.optional(),
    population: scope.optional(),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: pageOf(Criterion),
  errors: ['unknown_parameter'],
})

export const getCriterion = endpoint({
  method: 'get',
  path: '/v1/criteria/:id',
  summary: 'Read a judge.',
  description: 'Includes the result of its last calibration.',
  service: 'judging',
  permission: 'any',
  callers: ['eval'],
  params: criterionParams,
  reply: Criterion,
  errors: ['not_found', 'unknown_parameter'],
})

export const updateCriterion = endpoint({
  method: 'patch',
  path: '/v1/criteria/:id',
  summary: 'Change a judge.',
  description:
    'A change of `judge_prompt`, `judge_model`, `checks`, `population` or `population_family` voids the calibration. `unit` and `kind` cannot be changed.',
  service: 'judging',
  permission: 'owner_admin',
  params: criterionParams,
  body: UpdateCriterion,
  reply: Criterion,
  errors: [
    'not_found',
    'unknown_parameter',
    'immutable_parameter',
    'model_not_found',
    'unknown_provider',
    'criterion_in_use',
  ],
})

export const deleteCriterion = endpoint({
  method: 'delete',
  path: '/v1/criteria/:id',
  summary: 'Delete a judge.',
  description: 'Also deletes its calibrations, scans and verdicts. Grades are kept.',
  service: 'judging',
  permission: 'owner_admin',
  params: criterionParams,
  body: Nothing,
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'criterion_in_use', 'unknown_parameter'],
})

export const monitorCriterion = endpoint({
  method: 'put',
  path: '/v1/criteria/:id/monitor',
  summary: 'Set the monitor of a judge.',
  description: 'Sets only the monitor fields, with the checks of `PATCH /v1/criteria/{id}`.',
  service: 'judging',
  permission: 'owner_admin',
  params: criterionParams,
  body: z.strictObject({
    online_enabled: z.boolean().optional(),
    online_percent: percent.optional(),
    online_cap_usd: capUsd.optional(),
  }),
  reply: Criterion,
  errors: ['not_found', 'unknown_parameter'],
})
