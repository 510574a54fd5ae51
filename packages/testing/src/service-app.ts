import { randomBytes, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import type { ChangeRecording } from '@ratchet/service-kit/http/record-change'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Express, Router } from 'express'
import { signAsCaller } from './sign-as-caller.ts'
import { silentLogger } from './silent-logger.ts'

/** Dependencies of every service's app that few tests use: a silent logger, metrics, and a passing health check. */
export function testAppDeps(now: () => Date) {
  return {
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    serveMetrics: false,
    health: { drain: createDrain(), checks: {}, now },
    changes: unrecorded(now),
  } as const
}

/** Records changes nowhere. */
export function unrecorded(now: () => Date): ChangeRecording {
  return {
    begin: async () => undefined,
    end: async () => undefined,
    now,
    newId: () => randomUUID(),
    onLost: () => undefined,
  }
}

export interface TestCallerOptions {
  /** The service that is called. */
  readonly audience: string
  readonly now: () => Date
}

/** Calls a service as the edge does, with a signed identity; internal endpoints as a service that may call them. */
export interface TestCaller {
  /** Signs an identity for the service. */
  readonly key: NamedKey
  /** Headers of a request of a workspace's owner, or of another identity. */
  headersFor(method: string, path: string, by: string | Identity): Record<string, string>
}

/** Id of every request that a test sends. */
export const testRequestId = 'r1'

export function testCaller({ audience, now }: TestCallerOptions): TestCaller {
  const key = { id: 'k1', secret: randomBytes(32) }
  return {
    key,
    headersFor(method, path, by) {
      const bound = { audience, requestId: testRequestId, method: method.toUpperCase(), path }
      const identity = typeof by === 'string' ? ownerOf(by) : by
      return { [requestIdHeader]: testRequestId, [identityHeader]: signAsCaller(key, bound, identity, now().getTime()) }
    },
  }
}

/** An owner of a workspace. The ids of the user and of the API key are those of the workspace. */
function ownerOf(workspaceId: string): Identity {
  return { workspaceId, userId: workspaceId, keyId: workspaceId, role: 'owner' }
}

export interface TestAppOptions extends TestCallerOptions {
  /** Mounts the tested routes, behind the check of identities. */
  readonly routes: (router: Router) => void
  /** The id that the app gives to a request without one. */
  readonly requestId?: () => string
}

export interface TestApp extends TestCaller {
  readonly app: Express
}

/** Creates an app with some routes of a service. */
export function testApp({ audience, now, routes, requestId = () => testRequestId }: TestAppOptions): TestApp {
  const caller = testCaller({ audience, now })
  const deps = testAppDeps(now)
  const app = createHttpApp({
    ...deps,
    requestId,
    routes: (router) => {
      router.use(requireIdentity({ audience, keys: [caller.key], now, logger: deps.logger }))
      routes(router)
    },
  })
  return { ...caller, app }
}

export interface ServedApp {
  readonly origin: string
  stop(): Promise<void>
}

/** Serves an app on a free port of this machine. */
export async function serveTestApp(app: Express): Promise<ServedApp> {
  const server: Server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
