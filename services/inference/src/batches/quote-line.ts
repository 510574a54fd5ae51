import type { Identity } from '@ratchet/contracts/identity'
import { asServiceError, ServiceError } from '@ratchet/service-kit/http/service-error'
import { channelSettings } from '../request/internal-call.ts'
import { type ParsedBody, parseBody } from '../request/parse-body.ts'
import { planCandidates } from '../request/plan-candidates.ts'
import { costBound } from '../request/take-hold.ts'
import type { ModelDirectory } from '../routing/require-model.ts'
import type { Surface } from '../surfaces/surface.ts'
import { Refusal } from '../wire/refusal.ts'
import type { SettingsSource } from '../workspace-settings/workspace-settings.ts'

export interface QuoteDeps extends ModelDirectory {
  readonly settings: SettingsSource
}

/** An endpoint of a batch. */
export interface LineSurface {
  readonly surface: Surface
  /** The body as the surface reads it. */
  readonly rewrite: (bytes: Buffer) => Buffer | Promise<Buffer>
}

export type LineQuote =
  | { readonly maxCostNano: bigint; readonly model: string }
  | { readonly error: Pick<ServiceError, 'code' | 'message' | 'param'> }

/** What a request can cost at most; what is wrong with it is a value, because a file has many. */
export async function quoteLine(
  deps: QuoteDeps,
  { surface, rewrite }: LineSurface,
  { identity, body }: { readonly identity: Identity; readonly body: string },
): Promise<LineQuote> {
  try {
    const parsed = parseBody(await rewrite(Buffer.from(body)))
    refuseStream(parsed)
    const facts = surface.readFacts(parsed.body)
    const settings = channelSettings(
      await deps.settings.of(identity.workspaceId, [facts.requestedModel, ...facts.fallbackModels]),
      { channel: 'batch' },
    )
    const received = { ...parsed, surface, facts, settings, identity, ...unsent }
    const candidates = planCandidates(deps, received)
    const { requestedModel: model } = facts
    return { maxCostNano: costBound({ facts, candidates, body: parsed.body, surface }), model }
  } catch (thrown) {
    const error = asRefusal(thrown)
    if (error === null) throw thrown
    const { code, message, param } = error
    return { error: { code, message, param } }
  }
}

/** What a request has that is sent by itself. Nothing of it changes the maximum cost. */
const unsent = {
  requestId: '00000000-0000-7000-8000-000000000000',
  traceId: null,
  segment: null,
  isStrict: false,
  hints: undefined,
  reserveAnswer: () => true,
} as const

function refuseStream({ body }: ParsedBody): void {
  for (const param of ['stream', 'background'] as const) {
    if (body[param] !== true) continue
    throw new ServiceError('unsupported_parameter', `A request of a batch cannot have \`${param}\`.`, { param })
  }
}

function asRefusal(thrown: unknown): ServiceError | null {
  if (thrown instanceof Refusal) return new ServiceError(thrown.code, thrown.message, { param: thrown.param })
  const error = asServiceError(thrown)
  return error.code === 'internal_error' ? null : error
}
