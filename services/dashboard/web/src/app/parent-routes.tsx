import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, notFound, Outlet, redirect } from '@tanstack/react-router'
import { meQuery } from '../api/me.ts'
import { Shell } from '../shell/shell.tsx'

export interface RouterContext {
  readonly queries: QueryClient
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({ component: Outlet })

/** The parent of every page of a workspace. It requires a session and a membership, and draws the shell. */
export const workspaceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/w/$slug',
  beforeLoad: async ({ context, params, location }) => {
    const me = await context.queries.ensureQueryData(meQuery)
    if (me.user === null) throw redirect({ to: '/sign-in', search: { next: location.href } })
    if (!me.workspaces.some(({ slug }) => slug === params.slug)) throw notFound()
  },
  component: Shell,
})
