import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'

const homeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  component: lazyPage(() => import('./home-page.tsx').then((module) => module.HomePage)),
})

export const homeFeature = defineFeature({
  routes: [homeRoute],
  rail: { label: 'Home', path: '', icon: 'home', jump: 'h', order: 0 },
})
