import { Alias, getAlias, type PutAlias, putAlias } from '@ratchet/contracts/aliases'
import { type ErrorCode, ErrorEnvelope, errorCatalog } from '@ratchet/contracts/errors'
import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient, readJsonBody } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { z } from 'zod'

/** The aliases of a workspace, as a user changes them. */
export interface AliasCalls {
  /** Null when there is none of this name. */
  get(identity: Identity, name: string): Promise<Alias | null>
  /** @throws ServiceError what the alias service refuses, with its details */
  put(identity: Identity, alias: z.input<typeof PutAlias>, options: PutOptions): Promise<Alias>
}

export interface PutOptions {
  /** The version that may be changed; null: an alias of the name must not exist. */
  readonly version: number | null
}

export function createAliasCalls(alias: Pick<FleetClient, 'call' | 'send'>): AliasCalls {
  return {
    async get(identity, name) {
      try {
        return await alias.call(getAlias, { params: { name } }, identity)
      } catch (error) {
        if (error instanceof FleetCallError && error.status === 404) return null
        throw asUnavailable(error)
      }
    },
    async put(identity, body, { version }) {
      const condition = version === null ? { 'if-none-match': '*' } : { 'if-match': String(version) }
      const request = { method: 'PUT', path: putAlias.path, route: putAlias.path, headers: condition } as const
      const answer = await alias.send({ ...request, body: JSON.stringify(body) }, identity).catch((error: unknown) => {
        throw asUnavailable(error)
      })
      if (answer.status === 200) return Alias.parse(readJsonBody(answer.body))
      throw refusalOf(answer.status, answer.body)
    },
  }
}

function asUnavailable(cause: unknown): unknown {
  if (!(cause instanceof FleetCallError) || !cause.mayPass) return cause
  return new ServiceError('service_unavailable', 'Aliases cannot be read or changed at the moment.', {
    retryAfterSeconds: 1,
    cause,
  })
}

/** The refusal as the alias service means it for the user. */
function refusalOf(status: number, body: Buffer): unknown {
  const { data } = ErrorEnvelope.safeParse(readJsonBody(body))
  const code = data?.error.code
  if (data === undefined || code == null || !(code in errorCatalog) || status >= 500) {
    return asUnavailable(new FleetCallError(`alias answered ${status}`, { status }))
  }
  const { message, param, details } = data.error
  const more = details === undefined ? {} : { details: details as Readonly<Record<string, unknown>> }
  return new ServiceError(code as ErrorCode, message, { ...(param == null ? {} : { param }), ...more })
}
