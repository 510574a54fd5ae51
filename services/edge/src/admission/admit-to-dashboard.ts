import type { ServerResponse } from 'node:http'
import type { Forwarder } from '../forward/forwarder.ts'
import { traceForwarded } from '../forward/trace-request.ts'
import { bodyLimit, checkDeclaredLength } from './body-limit.ts'
import { dashboardLimits } from './dashboard-paths.ts'
import type { EndpointIndex } from './endpoint-index.ts'
import { contextOf, type EdgeRequest, type Fail } from './request-context.ts'

export interface DashboardRow {
  /** Of all endpoints of the session listener. */
  readonly index: EndpointIndex
  readonly dashboard: Forwarder
}

/** Forwards what is no path of the API. The dashboard decides who may see what. */
export function admitToDashboard({ index, dashboard }: DashboardRow) {
  return (request: EdgeRequest, response: ServerResponse, fail: Fail): void => {
    const context = contextOf(request)
    request.routeName = 'dashboard'
    context.limits = dashboardLimits(index, request.method, context.target.path)
    checkDeclaredLength(context.head, bodyLimit(context.head, context.limits))
    if (context.head.expectsContinue) response.writeContinue()
    traceForwarded(request, response, 'dashboard')
    dashboard.forward(request, response, fail)
  }
}
