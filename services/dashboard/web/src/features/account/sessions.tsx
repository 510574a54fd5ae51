import { Button } from '@mantine/core'
import { endMySession, listMySessions } from '@ratchet/contracts/dashboard/account'
import type { ReactNode } from 'react'
import { useAct } from '../../api/use-act.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { Card } from '../../kit/page.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { TimeText } from '../../kit/time-text.tsx'
import styles from './account.module.css'
import { deviceOf } from './device-of.ts'

export function Sessions(): ReactNode {
  const sessions = useEndpoint(listMySessions)
  const end = useAct(endMySession, { changes: [listMySessions] })
  return (
    <Card title="Where you are signed in">
      {end.error && <ErrorState error={end.error} />}
      <Loaded query={sessions}>
        {({ data }) =>
          data.map(({ id, current, user_agent: agent, created_at: at }) => (
            <div className={styles.row} key={id}>
              <span title={agent ?? undefined}>
                {deviceOf(agent)} {current && <strong>· this one</strong>}
              </span>
              <span>
                since <TimeText at={at} />{' '}
                {!current && (
                  <Button variant="subtle" color="red" onClick={() => end.mutate({ params: { id } })}>
                    Sign out
                  </Button>
                )}
              </span>
            </div>
          ))
        }
      </Loaded>
    </Card>
  )
}
