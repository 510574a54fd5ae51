import { Anchor } from '@mantine/core'
import type { AliasEvent } from '@ratchet/contracts/aliases'
import { listAliasAudit } from '@ratchet/contracts/session-aliases'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePeople } from '../../../api/use-people.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Card } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { eventWords } from '../alias-words.ts'
import styles from '../aliases.module.css'

const maxShown = 10

/** What people and gates changed last, of any alias. */
export function RecentChanges(): ReactNode {
  const events = useEndpoint(listAliasAudit, { query: { limit: maxShown } }, { topics: ['aliases'] })
  const personOf = usePeople()
  return (
    <Loaded query={events}>
      {({ data }) =>
        data.length === 0 ? null : (
          <Card title="Last changes">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it. */}
            <section className={styles.scroll} tabIndex={0} aria-label="Last changes of aliases">
              <table className={styles.table}>
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">Alias</th>
                    <th scope="col">What</th>
                    <th scope="col">Who</th>
                  </tr>
                </thead>
                <tbody>
                  {data.map((event) => (
                    <Row key={event.id} event={event} personOf={personOf} />
                  ))}
                </tbody>
              </table>
            </section>
          </Card>
        )
      }
    </Loaded>
  )
}

interface RowProps {
  readonly event: AliasEvent
  readonly personOf: (userId: string) => string
}

function Row({ event: { id, alias, kind, actor, created_at: at }, personOf }: RowProps): ReactNode {
  const slug = useWorkspaceSlug()
  return (
    <tr>
      <td>
        <TimeText at={at} />
      </td>
      <td>
        {kind === 'delete' ? (
          alias
        ) : (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/w/$slug/aliases/$name/audit"
                params={{ slug, name: alias }}
                search={{ event: id }}
              />
            )}
          >
            {alias}
          </Anchor>
        )}
      </td>
      <td>{eventWords[kind]}</td>
      <td>{actor.user_id === null ? 'the gate' : personOf(actor.user_id)}</td>
    </tr>
  )
}
