import { listAliases } from '@ratchet/contracts/aliases'
import { listCriteria } from '@ratchet/contracts/criteria'
import { getSetupStatus } from '@ratchet/contracts/setup-status'
import { createRoute } from '@tanstack/react-router'
import { readEarly } from '../../api/use-endpoint.ts'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { homeReads } from './home-reads.ts'

const homeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  // What is above the fold, while the page is being loaded and drawn.
  loader: ({ context: { queries }, params: { slug } }) => {
    readEarly(queries, getSetupStatus, slug)
    readEarly(queries, listCriteria, slug, homeReads.criteria)
    readEarly(queries, listAliases, slug, homeReads.aliases)
  },
  component: lazyPage(() => import('./home-page.tsx').then((module) => module.HomePage)),
})

export const homeFeature = defineFeature({
  routes: [homeRoute],
  rail: { label: 'Home', path: '', icon: 'home', jump: 'h', order: 0 },
})
