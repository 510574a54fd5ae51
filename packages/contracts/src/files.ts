import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { endpoint } from './endpoint.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

/** A file in OpenAI's format; `created_at` is in Unix seconds. */
export const FileObject = z.object({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int(),
  filename: z.string(),
  purpose: z.string(),
  status: z.literal('processed'),
})
export type FileObject = z.infer<typeof FileObject>

export const FilePurpose = z.enum(['fine-tune', 'batch'])

/** Maximum bytes of an uploaded file. */
export const maxFileBytes = 512 * mebibyte
/** Maximum bytes of the body with the file, because the other parts of a form need some bytes too. */
export const maxUploadBytes = maxFileBytes + mebibyte

/** A file in a form. */
export const uploadedFile = z
  .string()
  .meta({ format: 'binary', description: 'The content, as a part with a file name.' })

const params = z.object({ id: z.string() })

export const createFile = endpoint({
  method: 'post',
  path: '/v1/files',
  summary: 'Upload a file.',
  description:
    '`multipart/form-data` with the fields `file` (at most 512 MB) and `purpose`. Files and datasets of a workspace count towards its storage quota.',
  service: 'logging',
  permission: 'owner_admin',
  guard: true,
  maxBodyBytes: maxUploadBytes,
  bodyTypes: ['multipart/form-data'],
  body: z.strictObject({ purpose: FilePurpose, file: uploadedFile }),
  reply: FileObject,
  errors: ['unknown_parameter', 'quota_exceeded', 'request_too_large', 'unsupported_media_type'],
})

export const listFiles = endpoint({
  method: 'get',
  path: '/v1/files',
  summary: 'List files.',
  description:
    'Newest first, as a plain array. Clients of OpenAI, known by their `User-Agent`, get `{object: "list", data, has_more}`, because they read nothing else.',
  service: 'logging',
  permission: 'any',
  query: z.strictObject({
    purpose: storable(z.string()).optional(),
    limit: wholeNumber({ min: 1, max: 10_000 }).default(10_000),
    order: z.enum(['asc', 'desc']).default('desc'),
    after: z.string().optional().describe('The id of the last file of the previous page.'),
  }),
  reply: z.array(FileObject),
  errors: ['unknown_parameter', 'not_found'],
})

export const getFile = endpoint({
  method: 'get',
  path: '/v1/files/:id',
  summary: 'Read the facts of a file.',
  description: 'Without its content.',
  service: 'logging',
  permission: 'any',
  callers: ['training', 'eval'],
  params,
  reply: FileObject,
  errors: ['unknown_parameter', 'not_found'],
})

export const getFileContent = endpoint({
  method: 'get',
  path: '/v1/files/:id/content',
  summary: 'Download a file.',
  description: 'Returns the bytes that were uploaded.',
  service: 'logging',
  permission: 'any',
  callers: ['training', 'eval'],
  params,
  reply: z.string(),
  downloads: ['application/octet-stream'],
  errors: ['unknown_parameter', 'not_found'],
})

export const deleteFile = endpoint({
  method: 'delete',
  path: '/v1/files/:id',
  summary: 'Delete a file.',
  description:
    'Deletes it permanently. Datasets that were made of it are kept. Refused with `conflict` while a fine-tuning job still has to read it.',
  service: 'logging',
  permission: 'owner_admin',
  params,
  reply: z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})
