import { z } from 'zod'
import type { Brand } from './brand.ts'
import { mebibyte } from './byte-sizes.ts'
import type { ErrorCode } from './errors.ts'

/**
 * Who may call an endpoint: any user of the workspace, one who may grade (owners and admins always may), an owner or admin,
 * or an owner. A key has the role of the user who created it. Only a session states that its user may grade.
 */
export type Permission = 'any' | 'grader' | 'owner_admin' | 'owner'

/** The services that answer public endpoints. The name is also the audience of their identity header. */
export const serviceNames = ['inference', 'logging', 'judging', 'eval', 'alias', 'training', 'voice'] as const
export type ServiceName = (typeof serviceNames)[number]

/** What may call endpoints directly: services, and processes that have no endpoints for others. */
export const endpointCallers = [...serviceNames, 'dashboard'] as const
export type EndpointCaller = (typeof endpointCallers)[number]

/** A header of a request, by its name or by its key among the brand's headers. */
export type RequestHeader = PlainHeader | keyof Brand['headers']

/** Those whose names do not contain the brand word. */
export const plainHeaders = ['Idempotency-Key', 'If-Match', 'If-None-Match', 'Prefer'] as const
export type PlainHeader = (typeof plainHeaders)[number]

/** One HTTP operation. The server mounts it, the client calls it, and OpenAPI is printed from it. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Express 5 path: `/v1/things/:id`, or `/v1/models/*id` when the parameter may contain slashes. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly service: ServiceName
  /**
   * `public`: reached through the edge, with a key or from the dashboard. `session`: only for people who signed in to the
   * dashboard; with a key it does not exist. `internal`: only services call it, and the edge does not forward to it.
   */
  readonly audience: 'public' | 'session' | 'internal'
  /** Who may call it. The edge enforces it; for an internal endpoint it is `any` and is not read. */
  readonly permission: Permission
  /** Whether a person must have signed in a short time ago, because it moves money or rights. */
  readonly needsFreshSignIn: boolean
  /** Services that may call it directly. The service enforces it; the edge may call every public endpoint. */
  readonly callers: readonly EndpointCaller[]
  /** Whether a service must state a purpose when it calls it: true for endpoints that cost the workspace money. */
  readonly needsPurpose: boolean
  /** Whether the abuse guard counts calls: true for endpoints that create something that costs money. */
  readonly guard: boolean
  /** Maximum bytes of a body of any media type, as it is sent. The edge and the service refuse larger ones. */
  readonly maxBodyBytes: number
  /** Maximum bytes of a JSON body, which the service holds in memory; less than `maxBodyBytes` if files are accepted too. */
  readonly maxJsonBytes: number
  /**
   * Maximum bytes of a body compressed with gzip, as it is sent; null when bodies must not be compressed. For inference
   * the edge decompresses it, at most to `maxBodyBytes`; other services do that themselves.
   */
  readonly maxGzippedBytes: number | null
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly reply: Reply
  /** Error codes in addition to those of every endpoint. */
  readonly errors: readonly ErrorCode[]
  /** Whether some wrong bodies are answered with 400 and a {@link FlatError} instead of the envelope. */
  readonly refusesFlatly: boolean
  /** Headers of its successful answer in addition to those of every answer. */
  readonly answerHeaders: readonly (keyof Brand['headers'])[]
  /** Request headers that it reads, in addition to those of every request. */
  readonly requestHeaders: readonly RequestHeader[]
  /** Whether the answer may also be a stream of server-sent events. */
  readonly streams: boolean
  /** Status of a successful answer. */
  readonly status: 200 | 201 | 202
  /** Media types of a body. */
  readonly bodyTypes: readonly (
    | 'application/json'
    | 'application/jsonl'
    | 'application/x-ndjson'
    | 'multipart/form-data'
  )[]
  /** The fields of a `multipart/form-data` body. Null: those of `body`. Only OpenAPI is printed from it. */
  readonly form: z.ZodType | null
  /** Media types of an answer that is a download instead of JSON. */
  readonly downloads: readonly string[]
}

/** For input that an endpoint does not have: an empty object, so that an unknown key is refused by name. */
export const Nothing = z.strictObject({})

type Spec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> = MountedSpec<
  P,
  Q,
  B,
  R
> &
  Pick<Endpoint<P, Q, B, R>, 'service'>

type MountedSpec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> = Pick<
  Endpoint<P, Q, B, R>,
  'method' | 'path' | 'summary' | 'description' | 'reply'
> &
  Partial<
    Pick<
      Endpoint<P, Q, B, R>,
      | 'needsPurpose'
      | 'maxBodyBytes'
      | 'maxJsonBytes'
      | 'maxGzippedBytes'
      | 'params'
      | 'query'
      | 'body'
      | 'errors'
      | 'refusesFlatly'
      | 'answerHeaders'
      | 'requestHeaders'
      | 'streams'
      | 'status'
      | 'bodyTypes'
      | 'form'
      | 'downloads'
    >
  > &
  Access

/** A public endpoint must name its permission, and an internal one its callers, so that none is open by mistake. */
type Access =
  | { readonly audience: 'internal'; readonly callers: readonly EndpointCaller[] }
  | {
      readonly audience?: 'public'
      readonly permission: Exclude<Permission, 'grader'>
      readonly guard?: boolean
      readonly callers?: readonly EndpointCaller[]
    }
  | {
      readonly audience: 'session'
      readonly permission: Permission
      readonly guard?: boolean
      readonly needsFreshSignIn?: boolean
    }

/** Defaults: JSON in, JSON out, for clients outside the fleet. */
const plain = {
  audience: 'public',
  permission: 'any',
  guard: false,
  needsFreshSignIn: false,
  callers: [],
  needsPurpose: false,
  maxBodyBytes: mebibyte,
  maxGzippedBytes: null,
  errors: [],
  refusesFlatly: false,
  answerHeaders: [],
  requestHeaders: [],
  streams: false,
  status: 200,
  bodyTypes: ['application/json'],
  form: null,
  downloads: [],
} as const

/** An endpoint without the service that answers it: what is needed to mount it. */
export type MountedEndpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> = Omit<Endpoint<Params, Query, Body, Reply>, 'service'>

/** Declares an endpoint. By default it has no input, no further errors or headers, and accepts 1 MiB of JSON. */
export function endpoint<
  Reply extends z.ZodType,
  Params extends z.ZodType = typeof Nothing,
  Query extends z.ZodType = typeof Nothing,
  Body extends z.ZodType = typeof Nothing,
>(spec: Spec<Params, Query, Body, Reply>): Endpoint<Params, Query, Body, Reply> {
  return { ...mountedEndpoint(spec), service: spec.service }
}

/** The same for an endpoint that the listener of the gateway does not have. */
export function mountedEndpoint<
  Reply extends z.ZodType,
  Params extends z.ZodType = typeof Nothing,
  Query extends z.ZodType = typeof Nothing,
  Body extends z.ZodType = typeof Nothing,
>(spec: MountedSpec<Params, Query, Body, Reply>): MountedEndpoint<Params, Query, Body, Reply> {
  const nothing = Nothing as z.ZodType
  const input = { params: nothing as Params, query: nothing as Query, body: nothing as Body }
  const maxJsonBytes = spec.maxBodyBytes ?? plain.maxBodyBytes
  return { ...input, ...plain, maxJsonBytes, ...spec }
}

/** Method and path of an endpoint, such as `POST /v1/evals`. They are unique. */
export function operationName({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`
}

/** The name of an endpoint in the OpenAPI document, such as `postEvalsIdCancel`. */
export function operationId({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  const words = path
    .replace('/v1/', '')
    .split(/[\W_]+/)
    .filter(Boolean)
  return [method, ...words].map((word, i) => (i === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('')
}
