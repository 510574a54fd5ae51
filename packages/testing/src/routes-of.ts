import type { Express } from 'express'

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> }
  readonly handle?: { readonly stack?: readonly Layer[] }
}

/** What an app answers by itself, whichever service it is of. */
const everyApp = ['/healthz', '/startupz', '/readyz', '/livez', '/metrics']

/** Every route that an app has mounted, as `GET /v1/things/:id`, sorted; what every app has is left out. */
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

/** Stands for whatever an app is given: its routes are looked at and never called. */
export function anything<T>(): T {
  const nothing: object = new Proxy(() => nothing, { get: () => nothing })
  // What apps hand on by copying all that they were given.
  const handedOn = { health: nothing, metrics: nothing, logger: nothing }
  return new Proxy(handedOn, { get: (known, name) => Reflect.get(known, name) ?? nothing }) as T
}
