import { z } from 'zod'
import { Alias } from './aliases.ts'
import { kibibyte, mebibyte } from './byte-sizes.ts'
import { endpoint, Nothing } from './endpoint.ts'
import { uploadedFile } from './files.ts'
import { ModelVersion } from './model-versions.ts'
import { storable } from './storable.ts'

const service = 'training'
const params = z.strictObject({ id: z.string() })
const ofVersion = { service, permission: 'owner_admin', params } as const
const notThere = ['not_found', 'unknown_parameter'] as const

const reason = storable(z.string().trim().min(1).max(2_000))

/** The body of an adoption. Each key may also be written in snake_case. */
export const AdoptModelVersion = z.strictObject({
  aliasName: storable(z.string().min(1).max(64)).describe('A new alias sends all its requests to the version.'),
  canaryPercent: z
    .int()
    .min(0)
    .max(100)
    .nullish()
    .describe(
      'Share of the requests of the alias that the version answers; 10 by default. With 100 it gets all of them, and a rollback of the alias takes them back. A new alias takes no other value than 100, which is its default.',
    ),
  gateCriterionId: storable(z.string().min(1).max(200))
    .nullish()
    .describe('The judge that watches both arms. By default the alias keeps what it has.'),
  gateMode: z.enum(['recommend', 'auto']).nullish().describe('By default the alias keeps what it has.'),
  serve: z
    .enum(['pool', 'provider'])
    .nullish()
    .describe(
      'What has to serve it: engines of this installation, which it is brought to if it is not there, or the provider that has trained it. By default whatever does.',
    ),
  force: z.boolean().default(false).describe('Lets an owner adopt it without evidence. Requires a `reason`.'),
  reason: reason.nullish().describe('Stored in the audit of the alias.'),
  ifMatch: z.int().min(1).nullish().describe('The version of the alias that may be changed.'),
})
export type AdoptModelVersion = z.output<typeof AdoptModelVersion>

export const adoptModelVersion = endpoint({
  ...ofVersion,
  method: 'post',
  path: '/v1/model_versions/:id/adopt',
  summary: 'Let an alias route to a model version.',
  description:
    'Changes the alias as `PUT /v1/aliases` does, under the same policy of evidence and with the same audit: `details.missing` of a refusal lists what is missing. A product of a reward needs an eval by an independent judge on prompts that it was not trained on, a guard that did not stop it, and an audit by people, whatever the policy is. A version that the alias had before needs nothing, so that the way back is always open.',
  maxBodyBytes: 64 * kibibyte,
  body: AdoptModelVersion,
  refusesFlatly: true,
  reply: z.object({ model_version: ModelVersion, alias: Alias }),
  errors: [
    ...notThere,
    'conflict',
    'version_not_in_catalog',
    'precondition_failed',
    'evidence_exhausted',
    'version_conflict',
    'unsupported_unit',
    'alias_shadows_model',
    'fresh_sign_in_required',
    'incompatible_adapter',
    'quota_exceeded',
  ],
})

export const rejectModelVersion = endpoint({
  ...ofVersion,
  method: 'post',
  path: '/v1/model_versions/:id/reject',
  summary: 'Reject a model version.',
  description: 'Says that it will not be adopted, and why. A version that an alias sends requests to is refused.',
  maxBodyBytes: 64 * kibibyte,
  body: z.strictObject({ reason }),
  reply: ModelVersion,
  errors: [...notThere, 'conflict', 'version_in_use'],
})

export const archiveModelVersion = endpoint({
  ...ofVersion,
  method: 'post',
  path: '/v1/model_versions/:id/archive',
  summary: 'Archive a model version.',
  description:
    'Requests to it are then answered with 404. The files of an imported version are deleted a day later, and count no longer towards the storage quota then; those of others stay. A version that an alias names, or an unfinished job is trained from, is refused.',
  body: Nothing,
  reply: ModelVersion,
  errors: [...notThere, 'version_in_use'],
})

export const ServeModelVersion = z.strictObject({
  in: z.literal('pool').default('pool').describe('Engines that the versions of a base model share, paid by the token.'),
})

export const serveModelVersion = endpoint({
  ...ofVersion,
  method: 'post',
  path: '/v1/model_versions/:id/serve',
  summary: 'Serve a model version.',
  description:
    'Loads its adapter into engines that serve its base model, at the price of the base. `serving.pool` is `ready` when an engine was proven to answer as the trainer says; requests can then name it. A repetition tries again what has failed.',
  maxBodyBytes: 4 * kibibyte,
  body: ServeModelVersion,
  status: 202,
  reply: ModelVersion,
  errors: [...notThere, 'conflict', 'incompatible_adapter', 'quota_exceeded'],
})

export const unserveModelVersion = endpoint({
  ...ofVersion,
  method: 'delete',
  path: '/v1/model_versions/:id/serve',
  summary: 'Stop serving a model version in the pool.',
  description:
    'Requests that run are answered. A version that an alias names is refused, unless a provider serves it too.',
  body: Nothing,
  status: 202,
  reply: ModelVersion,
  errors: [...notThere, 'version_in_use'],
})

export const deleteTrainedModel = endpoint({
  method: 'delete',
  path: '/v1/models/*id',
  summary: 'Archive a model version by its name.',
  description: 'As OpenAI deletes a fine-tuned model. Models of the catalog cannot be deleted.',
  service,
  permission: 'owner_admin',
  params: z.object({ id: z.array(z.string()).transform((segments) => segments.join('/')) }),
  body: Nothing,
  reply: z.object({ id: z.string(), object: z.literal('model'), deleted: z.literal(true) }),
  errors: ['unknown_parameter', 'model_not_found', 'version_in_use'],
})

/** Largest file of an import. */
export const maxImportBytes = 512 * mebibyte

/** The fields of an import; each may also be written in snake_case. */
export const ImportModelVersion = z.strictObject({
  baseModel: storable(z.string().min(1).max(200)).describe('An id of `/v1/fine_tuning/models`.'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'This must be 1 to 64 letters, digits, dots, dashes and underscores.')
    .optional(),
  adapterConfig: z.string().min(2).max(16_384).describe('The text of `adapter_config.json`, as PEFT writes it.'),
})

export const importModelVersion = endpoint({
  method: 'post',
  path: '/v1/model_versions/import',
  summary: 'Import an adapter as a model version.',
  description:
    'A LoRA adapter in the safetensors format, at most 512 MB, with its settings. No other format is accepted. The version is a candidate; whether something serves it is in `serving`. Its bytes count towards the storage quota.',
  service,
  permission: 'owner_admin',
  guard: true,
  maxBodyBytes: maxImportBytes + mebibyte,
  bodyTypes: ['multipart/form-data'],
  body: ImportModelVersion.extend({ file: uploadedFile }),
  status: 201,
  reply: ModelVersion,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unknown_parameter',
    'not_found',
    'conflict',
    'idempotency_conflict',
    'model_not_trainable',
    'incompatible_adapter',
    'quota_exceeded',
    'request_too_large',
    'unsupported_media_type',
  ],
})
