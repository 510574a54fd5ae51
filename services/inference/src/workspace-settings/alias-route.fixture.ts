import type { AliasRoute } from './alias-route.ts'

export const testAliasId = '00000000-0000-7000-8000-0000000000d1'

/** An alias that routes to one model, with the test's changes. */
export function aliasRoute(changes: Partial<AliasRoute> = {}): AliasRoute {
  return {
    id: testAliasId,
    name: 'support-bot',
    targetModel: 'acme/fast',
    canaryModel: null,
    canaryPercent: 0,
    stickyBy: 'request',
    epoch: 1,
    familyRules: [],
    ...changes,
  }
}

/** The aliases of a workspace's settings. */
export function aliasesOf(...routes: readonly AliasRoute[]): ReadonlyMap<string, AliasRoute> {
  return new Map(routes.map((route) => [route.name, route]))
}
