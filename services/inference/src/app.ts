import type { Brand } from '@ratchet/contracts/brand'
import { requestIdHeader } from '@ratchet/contracts/identity'
import type { HealthOptions } from '@ratchet/service-kit/health'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express, Request } from 'express'
import type { Logger } from 'pino'
import type { Catalog } from './domain/catalog.ts'
import type { Ledger } from './domain/ledger.ts'
import type { ExchangeDeps } from './exchange/exchange-deps.ts'
import { chatRoutes } from './routes/chat.ts'
import { modelRoutes } from './routes/models.ts'

export interface InferenceDeps extends ExchangeDeps {
  readonly catalog: Catalog
  /** Ids of the providers that have a key. */
  readonly configuredProviders: ReadonlySet<string>
  readonly ledger: Ledger
  readonly identityKeys: readonly NamedKey[]
  readonly logger: Logger
  readonly metrics: ProcessMetrics
  readonly health: HealthOptions
  readonly serveMetrics: boolean
  readonly brand: Brand
  readonly now: () => Date
}

export function createApp(deps: InferenceDeps): Express {
  return createHttpApp({
    ...deps,
    requestId: (request) => passedOn(request) ?? uuidV7(deps.now().getTime()),
    routes: (router) => {
      router.use(requireIdentity({ ...deps, audience: 'inference', keys: deps.identityKeys }))
      chatRoutes(router, deps)
      modelRoutes(router, deps)
    },
  })
}

/** The id that the edge gave the request; a caller that comes past the edge may have sent none. */
function passedOn(request: Request): string | null {
  const id = request.get(requestIdHeader) ?? ''
  return id === '' ? null : id
}
