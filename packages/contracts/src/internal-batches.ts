import { z } from 'zod'
import { BatchEndpoint } from './batches.ts'
import { mebibyte } from './byte-sizes.ts'
import { endpoint } from './endpoint.ts'

/** The digits of a `bigint`, because a JSON number cannot hold it. */
const Nano = z.string().regex(/^(0|[1-9]\d{0,17}|[1-8]\d{18})$/)
const Id = z.uuid().lowercase()

const ofInference = { service: 'inference', audience: 'internal', callers: ['eval'] } as const

/** Maximum requests that are priced at once. */
export const maxQuotedLines = 500

export const quoteBatch = endpoint({
  ...ofInference,
  method: 'post',
  path: '/internal/batch_quotes',
  summary: 'Check requests of a batch, and price the most that each can cost.',
  description: 'As if each was sent by itself. Nothing is held or called.',
  maxBodyBytes: 16 * mebibyte,
  body: z.strictObject({
    endpoint: BatchEndpoint,
    bodies: z.array(z.string().describe('The JSON of a body.')).min(1).max(maxQuotedLines),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(
      z.union([
        z.object({ max_cost_nano: Nano, model: z.string().describe('As the request names it.') }),
        z.object({ error: z.object({ code: z.string(), message: z.string(), param: z.string().nullable() }) }),
      ]),
    ),
  }),
})

export const takeBatchHold = endpoint({
  ...ofInference,
  method: 'post',
  path: '/internal/batch_holds',
  summary: 'Hold money for the requests of a batch.',
  description: 'A repetition changes nothing. `conflict`: the hold was released.',
  body: z.strictObject({ hold_id: Id, amount_nano: Nano, model: z.string().min(1).max(256) }),
  reply: z.object({ held_nano: Nano }),
  errors: ['insufficient_balance', 'conflict'],
})

export const releaseBatchHold = endpoint({
  ...ofInference,
  method: 'post',
  path: '/internal/batch_holds/:hold_id/release',
  summary: 'Release what is still held for a batch.',
  description: 'A hold that was never taken can no longer be taken.',
  params: z.strictObject({ hold_id: Id }),
  reply: z.object({ state: z.enum(['open', 'posted', 'voided']) }),
})

/** Maximum characters of one piece of a file. */
export const maxPieceCharacters = mebibyte

export const writeFilePiece = endpoint({
  method: 'post',
  path: '/internal/files/:file_id/pieces',
  summary: 'Write a piece of a file that the fleet makes.',
  description:
    'Piece 0 begins the file and discards an incomplete one with the same id. The last piece completes it; then pieces change nothing.',
  service: 'logging',
  audience: 'internal',
  callers: ['eval', 'training'],
  maxBodyBytes: 8 * mebibyte,
  params: z.strictObject({ file_id: Id }),
  body: z.strictObject({
    filename: z.string().min(1).max(200),
    purpose: z.enum(['batch_output', 'fine-tune-results']),
    position: z.int().min(0),
    text: z.string(),
    total_bytes: z.int().min(0).describe('Of the file, with this piece.'),
    is_last: z.boolean(),
  }),
  reply: z.object({ bytes: z.int() }),
  errors: ['quota_exceeded'],
})
