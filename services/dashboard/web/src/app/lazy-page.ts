import { lazyRouteComponent } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/**
 * A page that is loaded when it is opened, in a file of its own. The page states its return type `ReactNode`: the type checker
 * would otherwise go round in a circle, because pages read the types of routes.
 */
export function lazyPage(load: () => Promise<() => ReactNode>) {
  return lazyRouteComponent(async () => ({ default: await load() }))
}
