import type { z } from 'zod'
import { mebibyte } from '../byte-sizes.ts'
import { type Endpoint, Nothing, type Permission } from '../endpoint.ts'
import type { ErrorCode } from '../errors.ts'

/**
 * Who may call an endpoint of the dashboard. `anyone`: without a session. `user`: everyone who signed in. `operator`: users
 * with the operator's right. The others are permissions in the workspace that the path names with `:slug`.
 */
export type DashboardPermission = 'anyone' | 'user' | 'operator' | Permission

/**
 * One operation that the dashboard itself answers. People call it with the cookie of their session; no key opens it. Endpoints
 * of other services are called below `/api/w/:slug`, and are no endpoints of the dashboard.
 */
export interface DashboardEndpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> extends Pick<Endpoint<Params, Query, Body, Reply>, 'method' | 'params' | 'query' | 'body' | 'reply' | 'status'> {
  readonly service: 'dashboard'
  /** Begins with `/api/`; with `/api/w/:slug/` when it belongs to a workspace. */
  readonly path: string
  readonly summary: string
  readonly permission: DashboardPermission
  /** Whether a person must have signed in a short time ago, because it changes money, keys or rights. */
  readonly needsFreshSignIn: boolean
  /** Maximum bytes of the JSON body. */
  readonly maxBodyBytes: number
  /** Error codes in addition to those of every endpoint. */
  readonly errors: readonly ErrorCode[]
  /** Whether the answer is a stream of server-sent events. */
  readonly streams: boolean
  /** Whether the answer is a table as CSV. The reply has no other shape then. */
  readonly isCsv: boolean
}

type Spec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> = Pick<
  DashboardEndpoint<P, Q, B, R>,
  'method' | 'path' | 'summary' | 'permission' | 'reply'
> &
  Partial<
    Pick<
      DashboardEndpoint<P, Q, B, R>,
      'params' | 'query' | 'body' | 'status' | 'needsFreshSignIn' | 'maxBodyBytes' | 'errors' | 'streams' | 'isCsv'
    >
  >

const plain = {
  service: 'dashboard',
  status: 200,
  needsFreshSignIn: false,
  maxBodyBytes: mebibyte,
  errors: [],
  streams: false,
  isCsv: false,
} as const

/** Declares an endpoint of the dashboard. By default it has no input, and accepts 1 MiB of JSON. */
export function dashboardEndpoint<
  Reply extends z.ZodType,
  Params extends z.ZodType = typeof Nothing,
  Query extends z.ZodType = typeof Nothing,
  Body extends z.ZodType = typeof Nothing,
>(spec: Spec<Params, Query, Body, Reply>): DashboardEndpoint<Params, Query, Body, Reply> {
  const nothing = Nothing as z.ZodType
  const input = { params: nothing as Params, query: nothing as Query, body: nothing as Body }
  return { ...input, ...plain, ...spec }
}
