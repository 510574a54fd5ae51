import { createRoute, redirect } from '@tanstack/react-router'
import { meQuery } from '../../api/me.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { rootRoute } from '../../app/parent-routes.tsx'

export const accountRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/account',
    beforeLoad: async ({ context, location }) => {
      const { user } = await context.queries.ensureQueryData(meQuery)
      if (user === null) throw redirect({ to: '/sign-in', search: { next: location.href } })
    },
    component: lazyPage(() => import('./account-page.tsx').then((module) => module.AccountPage)),
  }),
] as const
