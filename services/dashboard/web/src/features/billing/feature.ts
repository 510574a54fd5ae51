import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchOf } from '../../app/search.ts'
import { LedgerSearch, StatementSearch, UsageSearch } from './search.ts'
import { WalletChip } from './wallet-chip.tsx'

const billingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/billing',
  component: lazyPage(() => import('./billing-layout.tsx').then((module) => module.BillingLayout)),
})

const children = [
  createRoute({
    getParentRoute: () => billingRoute,
    path: '/',
    component: lazyPage(() => import('./wallet/wallet-page.tsx').then((module) => module.WalletPage)),
  }),
  createRoute({
    getParentRoute: () => billingRoute,
    path: '/ledger',
    validateSearch: searchOf(LedgerSearch),
    component: lazyPage(() => import('./ledger-page.tsx').then((module) => module.LedgerPage)),
  }),
  createRoute({
    getParentRoute: () => billingRoute,
    path: '/usage',
    validateSearch: searchOf(UsageSearch),
    component: lazyPage(() => import('./usage/usage-page.tsx').then((module) => module.UsagePage)),
  }),
  createRoute({
    getParentRoute: () => billingRoute,
    path: '/budgets',
    component: lazyPage(() => import('./budgets/budgets-page.tsx').then((module) => module.BudgetsPage)),
  }),
  createRoute({
    getParentRoute: () => billingRoute,
    path: '/statements',
    validateSearch: searchOf(StatementSearch),
    component: lazyPage(() => import('./statement-page.tsx').then((module) => module.StatementPage)),
  }),
] as const

export const billingFeature = defineFeature({
  routes: [billingRoute.addChildren(children)],
  rail: { label: 'Billing', path: 'billing', icon: 'billing', jump: 'b', order: 900 },
  TopBarPart: WalletChip,
})
