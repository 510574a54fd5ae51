import { z } from 'zod'
import type { Brand } from './brand.ts'
import type { ErrorCode } from './errors.ts'

/** Who may call an endpoint: any key of the workspace, or one whose minter is owner or admin, or owner. */
export type Permission = 'any' | 'owner_admin' | 'owner'

/** The services that answer public endpoints. The name is also the audience of their identity header. */
export type ServiceName = 'inference' | 'logging' | 'judging' | 'eval' | 'alias'

/** A header of a request, by its name or by its key among the brand's. */
export type RequestHeader = 'Idempotency-Key' | 'If-Match' | 'If-None-Match' | keyof Brand['headers']

/** One HTTP operation: the server mounts it, the client calls it, OpenAPI is printed from it. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Express 5 path: `/v1/things/:id`, or `/v1/models/*id` where the parameter may hold slashes. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly service: ServiceName
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly reply: Reply
  /** Codes beyond those every endpoint may answer with. */
  readonly errors: readonly ErrorCode[]
  /** Headers of its 200 beyond those of every answer. */
  readonly answerHeaders: readonly (keyof Brand['headers'])[]
  /** Headers that change what it does, beside those of every request. */
  readonly requestHeaders: readonly RequestHeader[]
  /** Whether its 200 may also be a stream of server-sent events. */
  readonly streams: boolean
  /** What success is answered with. */
  readonly status: 200 | 201 | 202
  /** Media types of a body. */
  readonly bodyTypes: readonly (
    | 'application/json'
    | 'application/jsonl'
    | 'application/x-ndjson'
    | 'multipart/form-data'
  )[]
  /** Media types of an answer that is a download and not JSON. */
  readonly downloads: readonly string[]
}

/** Input that an endpoint does not have: an empty object, so a stray key is refused by name. */
export const Nothing = z.strictObject({})

type Spec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> = Pick<
  Endpoint<P, Q, B, R>,
  'method' | 'path' | 'summary' | 'description' | 'service' | 'reply'
> &
  Partial<
    Pick<
      Endpoint<P, Q, B, R>,
      | 'params'
      | 'query'
      | 'body'
      | 'errors'
      | 'answerHeaders'
      | 'requestHeaders'
      | 'streams'
      | 'status'
      | 'bodyTypes'
      | 'downloads'
    >
  >

/** JSON in, JSON out. */
const plain = {
  errors: [],
  answerHeaders: [],
  requestHeaders: [],
  streams: false,
  status: 200,
  bodyTypes: ['application/json'],
  downloads: [],
} as const

/** Declares an endpoint; what is left out takes no input and adds no errors or headers. */
export function endpoint<
  Reply extends z.ZodType,
  Params extends z.ZodType = typeof Nothing,
  Query extends z.ZodType = typeof Nothing,
  Body extends z.ZodType = typeof Nothing,
>(spec: Spec<Params, Query, Body, Reply>): Endpoint<Params, Query, Body, Reply> {
  const nothing = Nothing as z.ZodType
  const input = { params: nothing as Params, query: nothing as Query, body: nothing as Body }
  return { ...input, ...plain, ...spec }
}
