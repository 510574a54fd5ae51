import { createRoute } from '@tanstack/react-router'
import { defineFeature } from '../../app/feature.ts'
import { lazyPage } from '../../app/lazy-page.ts'
import { workspaceRoute } from '../../app/parent-routes.tsx'
import { searchNamed } from '../../app/search.ts'

const agentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/voice',
  component: lazyPage(() => import('./agents/agents-page.tsx').then((module) => module.AgentsPage)),
})

const newAgentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/voice/agents/new',
  component: lazyPage(() => import('./agents/new-agent-page.tsx').then((module) => module.NewAgentPage)),
})

const changeAgentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/voice/agents/$id/change',
  component: lazyPage(() => import('./agents/change-agent-page.tsx').then((module) => module.ChangeAgentPage)),
})

const agentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/voice/agents/$id',
  component: lazyPage(() => import('./agents/agent-page.tsx').then((module) => module.AgentPage)),
})

const callsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/voice/calls',
  validateSearch: searchNamed('agent_id', 'status'),
  component: lazyPage(() => import('./calls/calls-page.tsx').then((module) => module.CallsPage)),
})

const callRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/voice/calls/$id',
  component: lazyPage(() => import('./calls/call-page.tsx').then((module) => module.CallPage)),
})

export const voiceFeature = defineFeature({
  routes: [agentsRoute, newAgentRoute, changeAgentRoute, agentRoute, callsRoute, callRoute],
  rail: { label: 'Voice', path: 'voice', icon: 'voice', jump: 'v', order: 750 },
})
