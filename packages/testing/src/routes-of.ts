import type { Express } from 'express'

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> }
  readonly handle?: { readonly stack?: readonly Layer[] }
}

/** The routes of every app. */
const everyApp = ['/healthz', '/startupz', '/readyz', '/livez', '/metrics']

/** Every route that an app has mounted, as `GET /v1/things/:id`, sorted, without the routes of every app. */
export function routesOf(app: Express): readonly string[] {
  return walk((app as unknown as { readonly router: { readonly stack: readonly Layer[] } }).router.stack).toSorted()
}

function walk(stack: readonly Layer[]): readonly string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) return walk(handle?.stack ?? [])
    if (everyApp.includes(route.path)) return []
    const methods = Object.keys(route.methods).filter((method) => route.methods[method] === true)
    return methods.map((method) => `${method.toUpperCase()} ${route.path}`)
  })
}

/** Replaces any dependency of an app whose routes are listed but never called. */
export function anything<T>(): T {
  const nothing: object = new Proxy(() => nothing, { get: () => nothing })
  // Apps copy some dependencies.
  const handedOn = { health: nothing, metrics: nothing, logger: nothing }
  return new Proxy(handedOn, { get: (known, name) => Reflect.get(known, name) ?? nothing }) as T
}
