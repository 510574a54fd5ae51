import { listAliases } from '@ratchet/contracts/aliases'
import { listCriteria } from '@ratchet/contracts/criteria'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Loaded } from '../../kit/states/loaded.tsx'
import styles from './home.module.css'
import { homeReads } from './home-reads.ts'
import { MarkedLine } from './marked-line.tsx'
import { needsOf } from './needs.ts'
import { useWalletState } from './use-wallet-state.ts'

const maxShown = 6

export function NeedList(): ReactNode {
  const criteria = useEndpoint(listCriteria, homeReads.criteria, { topics: ['judges'] })
  const aliases = useEndpoint(listAliases, homeReads.aliases, { topics: ['aliases'] })
  const wallet = useWalletState()
  return (
    <Loaded query={criteria}>
      {({ data: judges }) => (
        <Loaded query={aliases}>
          {({ data }) => {
            const needs = needsOf(judges, data, wallet)
            if (needs.length === 0) return <p className="dimmed">Nothing. No judge drifts, and no canary waits.</p>
            return (
              <ul className={styles.needs}>
                {needs.slice(0, maxShown).map((need) => (
                  <MarkedLine key={need.id} state={need.state} text={need.text} path={need.path} />
                ))}
                {needs.length > maxShown && <li className="dimmed">and {needs.length - maxShown} more</li>}
              </ul>
            )
          }}
        </Loaded>
      )}
    </Loaded>
  )
}
