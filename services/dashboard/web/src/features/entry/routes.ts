import { createRoute } from '@tanstack/react-router'
import { z } from 'zod'
import { lazyPage } from '../../app/lazy-page.ts'
import { rootRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'

/** Pages outside of workspaces, for people who have no session yet. */
export const entryRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/',
    component: lazyPage(() => import('./start-page.tsx').then((module) => module.StartPage)),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: searchOf(z.object({ next: z.string().optional() })),
    component: lazyPage(() => import('./sign-in-page.tsx').then((module) => module.SignInPage)),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/setup',
    validateSearch: searchOf(z.object({ token: z.string().max(100).optional() })),
    component: lazyPage(() => import('./setup-page.tsx').then((module) => module.SetupPage)),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invite/$token',
    component: lazyPage(() => import('./invite-page.tsx').then((module) => module.InvitePage)),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset',
    component: lazyPage(() => import('./forgotten-page.tsx').then((module) => module.ForgottenPage)),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/reset/$token',
    component: lazyPage(() => import('./reset-page.tsx').then((module) => module.ResetPage)),
  }),
] as const
