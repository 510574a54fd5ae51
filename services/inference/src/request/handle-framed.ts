import { errorBodyAt } from '@ratchet/contracts/messages'
import { type AnswerErrorOptions, answerError, labelAnswer } from '@ratchet/service-kit/http/answer-error'
import { forwardedId } from '@ratchet/service-kit/http/forwarded-id'
import { measureRequest } from '@ratchet/service-kit/http/measure-request'
import type { ServedRequest, ServedResponse } from '@ratchet/service-kit/http/served'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { traceRequest } from '@ratchet/service-kit/http/trace-request'
import type { Callee } from '@ratchet/service-kit/identity/caller-keys'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import { routeInference } from './routes.ts'
import type { ServeDeps } from './serve-surface.ts'

export interface HandleFramedDeps extends ServeDeps, AnswerErrorOptions, Callee {
  readonly metrics: ProcessMetrics
}

/**
 * Creates the handler of requests that arrive in frames. It does what the Express app does for the same request, in the
 * same order: id, metrics, span, identity, route, error answer.
 */
export function createFramedHandler(
  deps: HandleFramedDeps,
): (request: ServedRequest, response: ServedResponse) => void {
  const idOf = forwardedId(deps.now)
  const identify = requireIdentity({ ...deps, audience: 'inference', keys: deps.identityKeys })
  const errors: AnswerErrorOptions = { logger: deps.logger, health: deps.health, errorBody: errorBodyAt }
  return (request, response) => {
    const fail = (thrown: unknown) => {
      if (!answerError(errors, { request, response }, thrown)) response.destroy()
    }
    const serve = () => routeInference(deps, request, response) ?? Promise.reject(unknownUrl())
    const attempt = (step: () => void) => {
      try {
        step()
      } catch (thrown) {
        fail(thrown)
      }
    }
    attempt(() => {
      request.id = idOf(request)
      measureRequest(deps.metrics, request, response)
      labelAnswer(request, response, deps.health.drain)
      traceRequest(request, response, () => attempt(() => identify(request, response, () => serve().catch(fail))))
    })
  }
}

function unknownUrl(): ServiceError {
  return new ServiceError('unknown_url', 'No such route.')
}
