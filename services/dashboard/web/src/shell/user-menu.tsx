import { ActionIcon } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { signOut } from '../api/auth.ts'
import { useMe, useWorkspace } from '../api/me.ts'
import { Icon } from '../kit/icon.tsx'
import { LateMenu } from '../kit/late-menu.tsx'
import type { MenuButtonProps, MenuPart } from '../kit/menu-part.ts'
import { themeChoices, useTheme } from '../kit/use-theme.ts'

/** The person, their account, the colours, and the way out. */
export function UserMenu(): ReactNode {
  const { user } = useMe()
  const { role } = useWorkspace()
  const navigate = useNavigate()
  const { theme, choose } = useTheme()
  const account: MenuPart = {
    kind: 'item',
    label: 'Account and keys',
    icon: 'user',
    run: () => void navigate({ to: '/account' }),
  }
  const admin: MenuPart = {
    kind: 'item',
    label: 'Administration',
    icon: 'admin',
    run: () => void navigate({ to: '/admin' }),
  }
  const colours = themeChoices.map(
    ({ value, label }): MenuPart => ({
      kind: 'item',
      label,
      isChosen: theme === value,
      staysOpen: true,
      run: () => choose(value),
    }),
  )
  return (
    <LateMenu
      position="bottom-end"
      Button={UserButton}
      parts={[
        { kind: 'heading', label: `${user?.email} · ${role}` },
        account,
        ...(user?.operator === true ? [admin] : []),
        { kind: 'line' },
        { kind: 'heading', label: 'Colours' },
        ...colours,
        { kind: 'line' },
        { kind: 'item', label: 'Sign out', run: () => void signOut() },
      ]}
    />
  )
}

function UserButton(props: MenuButtonProps): ReactNode {
  const { user } = useMe()
  return (
    <ActionIcon {...props} variant="default" size={30} aria-label={`Account of ${user?.name ?? ''}`}>
      <Icon name="user" />
    </ActionIcon>
  )
}
