import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed } from '../../app/search.ts'
import { CanaryBadge } from './canary-badge.tsx'
import { SetAlias } from './set-alias.tsx'

const listRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/aliases',
  component: lazyPage(() => import('./list/aliases-page.tsx').then((module) => module.AliasesPage)),
})

const newRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/aliases/new',
  validateSearch: searchNamed('target_model', 'canary_model', 'gate_criterion_id'),
  component: lazyPage(() => import('./routing/new-alias-page.tsx').then((module) => module.NewAliasPage)),
})

const aliasRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/aliases/$name',
  component: lazyPage(() => import('./detail/alias-layout.tsx').then((module) => module.AliasLayout)),
})

const tabs = [
  createRoute({
    getParentRoute: () => aliasRoute,
    path: '/',
    component: lazyPage(() => import('./detail/alias-start.tsx').then((module) => module.AliasStart)),
  }),
  createRoute({
    getParentRoute: () => aliasRoute,
    path: '/routing',
    validateSearch: searchNamed('target_model', 'canary_model', 'canary_percent'),
    component: lazyPage(() => import('./routing/routing-tab.tsx').then((module) => module.RoutingTab)),
  }),
  createRoute({
    getParentRoute: () => aliasRoute,
    path: '/canary',
    validateSearch: searchNamed('epoch'),
    component: lazyPage(() => import('./canary/canary-tab.tsx').then((module) => module.CanaryTab)),
  }),
  createRoute({
    getParentRoute: () => aliasRoute,
    path: '/audit',
    validateSearch: searchNamed('event'),
    component: lazyPage(() => import('./audit/audit-tab.tsx').then((module) => module.AuditTab)),
  }),
] as const

export const aliasesFeature = defineFeature({
  routes: [listRoute, newRoute, aliasRoute.addChildren(tabs)],
  rail: { label: 'Aliases', path: 'aliases', icon: 'aliases', jump: 'a', order: 700, Badge: CanaryBadge },
  PalettePart: SetAlias,
  commands: [
    { id: 'alias.rollback', keys: 'Shift+R', label: 'Roll the canary back', group: 'Aliases', actsOnce: true },
  ],
})
