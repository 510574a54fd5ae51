import { listAudit } from '@ratchet/contracts/dashboard/audit'
import { createRoute } from '@tanstack/react-router'
import type { z } from 'zod'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'

const settingsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/settings',
  component: lazyPage(() => import('./settings-layout.tsx').then((module) => module.SettingsLayout)),
})

const children = [
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/',
    component: lazyPage(() => import('./settings-start.tsx').then((module) => module.SettingsStart)),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/general',
    component: lazyPage(() => import('./general/general-page.tsx').then((module) => module.GeneralPage)),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/logging',
    component: lazyPage(() => import('./logging/logging-page.tsx').then((module) => module.LoggingPage)),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/keys',
    component: lazyPage(() => import('./keys/keys-page.tsx').then((module) => module.KeysPage)),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/provider-keys',
    component: lazyPage(() =>
      import('./provider-keys/provider-keys-page.tsx').then((module) => module.ProviderKeysPage),
    ),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/members',
    component: lazyPage(() => import('./members/members-page.tsx').then((module) => module.MembersPage)),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/webhooks',
    component: lazyPage(() => import('./webhooks/webhooks-page.tsx').then((module) => module.WebhooksPage)),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/audit',
    validateSearch: searchOf(listAudit.query as z.ZodObject<typeof listAudit.query.shape>),
    component: lazyPage(() => import('./audit/audit-page.tsx').then((module) => module.AuditPage)),
  }),
  createRoute({
    getParentRoute: () => settingsRoute,
    path: '/erasure',
    component: lazyPage(() => import('./erasure/erasures-page.tsx').then((module) => module.ErasuresPage)),
  }),
] as const

export const settingsFeature = defineFeature({
  routes: [settingsRoute.addChildren(children)],
  rail: { label: 'Settings', path: 'settings', icon: 'settings', jump: 's', order: 1_000 },
})
