import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { GuardVerdict } from './grpo.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

const count = z.int().min(0)

export const modelVersionStatuses = ['candidate', 'adopted', 'superseded', 'rejected', 'archived'] as const
export const ModelVersionStatus = z.enum(modelVersionStatuses)
export type ModelVersionStatus = z.infer<typeof ModelVersionStatus>

export const versionProducers = ['fine_tuning', 'grpo', 'raft', 'import'] as const

/** A file of a version. The download has also a `README.md`, which is written when it is asked for. */
const VersionFile = z.object({ name: z.string(), sha256: z.string(), bytes: count })

/** What answers requests to a version. Without any of them a request is answered with 404. */
export const VersionServing = z.object({
  pool: z
    .enum(['none', 'loading', 'ready', 'failed'])
    .describe('Shared engines of its base: `ready` once one of them was proven to answer as its trainer says.'),
  pool_error: z.string().nullable().describe('Why no engine of the pool serves it, if it is `failed`.'),
  provider: z
    .string()
    .nullable()
    .describe('Of trainers that serve what they train: the model that answers as it while the pool does not.'),
  dedicated: z
    .array(z.string())
    .describe('Routing keys of the dedicated endpoints of the workspace that answer as it: `dedicated/<routing_key>`.'),
})

/** What a version answers to the probes; each engine has to answer so before it gets requests. */
export const VersionFingerprint = z.object({
  source: z
    .enum(['trainer', 'engine'])
    .describe('Who answered: the trainer that made it, or, of an import, the first engine that loaded it.'),
  probe_sha256: z.string().describe('Of the answers.'),
})

export const ModelVersion = z.object({
  id: z.string(),
  object: z.literal('model_version'),
  model_id: z.string().describe('Name under which requests reach it if something serves it; see `serving`.'),
  name: z.string().nullable().describe('The suffix of the job, or the name of the import.'),
  base_model: z.string(),
  parent_id: z.string().nullable().describe('The version that it was trained from.'),
  produced_by: z.object({
    type: z.enum(versionProducers),
    id: z.string().nullable().describe('Id of the job, run or round; null for an import.'),
  }),
  fine_tuning_job_id: z.string().nullable().describe('The job that trained it, also for a round of RAFT.'),
  step: z.int().nullable().describe('The step of its checkpoint.'),
  dataset_id: z.string().nullable(),
  status: ModelVersionStatus.describe(
    '`adopted` while an alias sends requests to it, `superseded` when one did and none does any more.',
  ),
  status_reason: z.string().nullable().describe('Why it was rejected.'),
  from_reward: z
    .boolean()
    .describe(
      "Whether a judge's reward made it, or one of the versions that it was trained from. Its adoption always needs evidence.",
    ),
  adapter: z.object({ rank: z.int(), size_bytes: count }).nullable().describe('Null when all weights were trained.'),
  files: z.array(VersionFile),
  sha256: z.string().describe('Of the list of its files.'),
  chat_template_sha256: z
    .string()
    .nullable()
    .describe('Of the chat template that it was trained with; null without a file of it.'),
  fingerprint: VersionFingerprint.nullable().describe('Null while nobody has answered the probes.'),
  metrics: z.record(z.string(), z.number().nullable()),
  serving: VersionServing,
  aliases: z
    .array(z.object({ name: z.string(), arm: z.enum(['target', 'canary']), percent: z.int() }))
    .describe('The aliases that send requests to it, with their share.'),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  adopted_at: z.iso.datetime().nullable().describe('When an alias last began to route to it.'),
  adopted_by: z.string().nullable().describe('Id of the user; null also when a gate did it.'),
})
export type ModelVersion = z.infer<typeof ModelVersion>

const rate = z.number().min(0).max(1)

/** Fewest best-scored answers of a product of a reward that people have graded before it is adopted. */
export const minAuditGrades = 30

/** What people found among the best-scored answers of a product of a reward. */
export const RewardAudit = z.object({
  graded: count,
  false_pass: count.describe('Answers that the reward judge passed and people did not.'),
  upper: rate.describe('One-sided 95 % upper bound of the share of false passes.'),
})
export type RewardAudit = z.infer<typeof RewardAudit>

/** What is known of the quality of a version. */
const VersionEvidence = z.object({
  eval_id: z.string().nullable().describe('The newest eval that is DONE and has it as a candidate.'),
  baseline_model: z.string().nullable(),
  win_rate: rate.nullable(),
  win_rate_ci: z.tuple([z.number(), z.number()]).nullable(),
  proof_uses: z
    .number()
    .nullable()
    .describe(
      'Average number of earlier comparisons on the prompts of this eval. The evidence for an alias is weighed for them, and from ten on fresh prompts are needed.',
    ),
  guard_verdict: GuardVerdict.nullable().describe('Only of a product of a reward that was guarded.'),
  audit: RewardAudit.nullable().describe('Only of a product of a reward that people have audited.'),
  independent: z
    .boolean()
    .nullable()
    .describe(
      'Whether the judge of the eval is none that rewarded the training. Null without an eval with a criterion.',
    ),
})

export const ModelVersionDetail = ModelVersion.extend({
  warnings: z.array(z.string()).describe('Such as the day on which the provider of its base stops.'),
  eval_ids: z
    .array(z.string())
    .nullable()
    .describe('Evals in which it is a candidate, newest first, at most 20. Null while evals cannot be read.'),
  evidence: VersionEvidence,
})
export type ModelVersionDetail = z.infer<typeof ModelVersionDetail>

const service = 'training'
const params = z.strictObject({ id: z.string() })
const ofVersion = { service, permission: 'owner_admin', params } as const
const notThere = ['not_found', 'unknown_parameter'] as const

export const listModelVersions = endpoint({
  method: 'get',
  path: '/v1/model_versions',
  summary: 'List model versions.',
  description: 'What training has produced, and what was imported. Newest first.',
  service,
  permission: 'owner_admin',
  query: z.strictObject({
    status: ModelVersionStatus.optional(),
    base_model: storable(z.string().max(200)).optional(),
    produced_by: z.enum(versionProducers).optional(),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: pageOf(ModelVersion),
  errors: ['unknown_parameter'],
})

export const getModelVersion = endpoint({
  ...ofVersion,
  method: 'get',
  path: '/v1/model_versions/:id',
  summary: 'Read a model version.',
  description: 'With its evals and what they prove.',
  reply: ModelVersionDetail,
  errors: [...notThere],
})

export const lineageNodeTypes = [
  'log_filters',
  'dataset',
  'file',
  'job',
  'run',
  'round',
  'checkpoint',
  'version',
  'eval',
  'guard',
  'audit',
  'adoption',
  'promotion',
] as const

export const LineageNode = z.object({
  id: z.string(),
  type: z.enum(lineageNodeTypes),
  details: z.record(z.string(), z.unknown()),
})
export type LineageNode = z.infer<typeof LineageNode>

export const VersionLineage = z.object({
  object: z.literal('model_version.lineage'),
  nodes: z.array(LineageNode),
  edges: z
    .array(z.object({ from: z.string(), to: z.string() }))
    .describe('From what something came to what came of it.'),
})
export type VersionLineage = z.infer<typeof VersionLineage>

export const getVersionLineage = endpoint({
  ...ofVersion,
  method: 'get',
  path: '/v1/model_versions/:id/lineage',
  summary: 'Read where a model version comes from and where it went.',
  description:
    'From the filters of the log over dataset, job, GRPO run or RAFT round, and checkpoint to the version, with the versions that it was trained from, and on to its evals, the looks of its guard, its audit by people, its adoptions, and the promotions that gave it all requests of an alias. Of a thing that was deleted only the id remains.',
  reply: VersionLineage,
  errors: [...notThere],
})

export const downloadModelVersion = endpoint({
  ...ofVersion,
  method: 'get',
  path: '/v1/model_versions/:id/download',
  summary: 'Download a file of a model version.',
  description:
    'The weights, or the file that `file` names: one of `files`, or `README.md`, which says where they come from. Follow the redirect of 302 without the key: the address contains a signature that is good for 15 minutes. Without a bucket the answer is the file itself.',
  query: z.strictObject({
    file: storable(z.string().max(200))
      .optional()
      .describe('By default `adapter_model.safetensors`, or the first file.'),
  }),
  reply: z.unknown(),
  downloads: ['application/octet-stream', 'text/markdown'],
  errors: [...notThere],
})
