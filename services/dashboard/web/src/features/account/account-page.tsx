import { Anchor, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useMe } from '../../api/me.ts'
import { Icon } from '../../kit/icon.tsx'
import styles from './account.module.css'
import { Keys } from './keys.tsx'
import { OwnName } from './own-name.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { Theme } from './theme.tsx'

/** What belongs to the person, in every workspace. */
export function AccountPage(): ReactNode {
  const { user } = useMe()
  useEffect(() => {
    document.title = 'Account · Ratchet'
  }, [])
  return (
    <main className={styles.account}>
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/" />}>
        Back to the workspace
      </Anchor>
      <Title order={1}>
        <Icon name="user" /> Account
      </Title>
      <p className="dimmed">
        {user?.name}, {user?.email}
      </p>
      <OwnName />
      <Password />
      <Passkeys />
      <Sessions />
      <Theme />
      <Keys />
    </main>
  )
}
