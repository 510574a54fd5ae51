import { Anchor } from '@mantine/core'
import { listAliases } from '@ratchet/contracts/aliases'
import { listCriteria } from '@ratchet/contracts/criteria'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { StateMark } from '../../kit/state-mark.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { railEntriesOf } from '../../shell/rail-entries.ts'
import { useFeatures } from '../../shell/use-features.ts'
import styles from './home.module.css'
import { type Need, needsOf } from './needs.ts'

const maxShown = 6

export function NeedList(): ReactNode {
  const criteria = useEndpoint(listCriteria, { query: { limit: 100 } }, { topics: ['drift', 'setup'] })
  const aliases = useEndpoint(listAliases, { query: { limit: 100 } }, { topics: ['aliases'] })
  return (
    <Loaded query={criteria}>
      {({ data: judges }) => (
        <Loaded query={aliases}>
          {({ data }) => {
            const needs = needsOf(judges, data)
            if (needs.length === 0) return <p className="dimmed">Nothing. No judge drifts, and no canary waits.</p>
            return (
              <ul className={styles.needs}>
                {needs.slice(0, maxShown).map((need) => (
                  <NeedRow key={need.id} need={need} />
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

function NeedRow({ need: { state, text, path } }: { readonly need: Need }): ReactNode {
  const slug = useWorkspaceSlug()
  const [entry = ''] = path.split('/')
  const exists = railEntriesOf(useFeatures()).some((each) => each.path === entry)
  return (
    <li>
      <StateMark state={state} size={14} />
      <span>
        {text}{' '}
        {exists && (
          <Anchor size="sm" td="underline" renderRoot={(props) => <Link {...props} to={`/w/${slug}/${path}`} />}>
            Open
          </Anchor>
        )}
      </span>
    </li>
  )
}
