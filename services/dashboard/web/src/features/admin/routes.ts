import { createRoute, redirect } from '@tanstack/react-router'
import { z } from 'zod'
import { meQuery } from '../../api/me.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { rootRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'

const SearchWords = z.object({ search: z.string().max(100).optional() })

const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin',
  beforeLoad: async ({ context, location }) => {
    const { user } = await context.queries.ensureQueryData(meQuery)
    if (user === null) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
  component: lazyPage(() => import('./admin-layout.tsx').then((module) => module.AdminLayout)),
})

const children = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/',
    validateSearch: searchOf(SearchWords),
    component: lazyPage(() => import('./workspaces-page.tsx').then((module) => module.WorkspacesPage)),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/users',
    validateSearch: searchOf(SearchWords),
    component: lazyPage(() => import('./users-page.tsx').then((module) => module.UsersPage)),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/limits',
    validateSearch: searchOf(SearchWords),
    component: lazyPage(() => import('./limits-page.tsx').then((module) => module.LimitsPage)),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/providers',
    component: lazyPage(() => import('./providers-page.tsx').then((module) => module.ProvidersPage)),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/credits',
    component: lazyPage(() => import('./credits-page.tsx').then((module) => module.CreditsPage)),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/work',
    component: lazyPage(() => import('./work-page.tsx').then((module) => module.WorkPage)),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/ledgers',
    component: lazyPage(() => import('./ledgers-page.tsx').then((module) => module.LedgersPage)),
  }),
] as const

export const adminRoutes = [adminRoute.addChildren(children)] as const
