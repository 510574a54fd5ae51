import { Counter, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { AliasTrafficEvent } from './arm-recorder.ts'
import type { FamilyEvent } from './family-finder.ts'

/** What happens between routing and the services that it depends on. */
export interface RoutingEvents {
  aliasTraffic(event: AliasTrafficEvent): void
  /** The log does not find prompt families. Aliases route as if they had no rules for them. */
  families(event: FamilyEvent): void
}

/** @param show shows whether a dependency is available */
export function routingEvents(
  registry: Registry,
  logger: Logger,
  show: (dependency: 'alias' | 'segments', event: { readonly kind: string }) => void,
): RoutingEvents {
  const reports = new Counter({
    name: 'ratchet_alias_traffic_reports_total',
    help: 'Reports of alias traffic to the alias service: accepted, refused, or lost when the process ended.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  startAtZero(reports, 'outcome', ['accepted', 'refused', 'lost'])
  const aliasTraffic: RoutingEvents['aliasTraffic'] = (event) => {
    show('alias', event)
    switch (event.kind) {
      case 'reported':
        return reports.inc({ outcome: 'accepted' })
      case 'unavailable':
        return logger.warn({ err: event.cause }, 'the alias service is unavailable')
      case 'recovered':
        return logger.info('the alias service is available again')
      case 'refused':
        reports.inc({ outcome: 'refused' })
        return logger.error(
          { event: 'alias_traffic_refused', arms: event.arms, err: event.cause },
          'the alias service refused a traffic report',
        )
      case 'lost':
        reports.inc({ outcome: 'lost' })
        return logger.error(
          { event: 'alias_traffic_lost', arms: event.arms },
          'traffic counts of aliases were lost at shutdown',
        )
    }
  }
  const families: RoutingEvents['families'] = (event) => {
    show('segments', event)
    if (event.kind === 'unavailable') logger.warn({ err: event.cause }, 'prompt families cannot be found')
    else logger.info('prompt families can be found again')
  }
  return { aliasTraffic, families }
}
