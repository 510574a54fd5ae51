import { ActionIcon, Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { signOut } from '../api/auth.ts'
import { useMe, useWorkspace } from '../api/me.ts'
import { Icon } from '../kit/icon.tsx'
import { themeChoices, useTheme } from '../kit/use-theme.ts'

/** The person, their account, the colours, and the way out. */
export function UserMenu(): ReactNode {
  const { user } = useMe()
  const { role } = useWorkspace()
  const navigate = useNavigate()
  const { theme, choose } = useTheme()
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={`Account of ${user?.name ?? ''}`}>
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {user?.email} · {role}
        </Menu.Label>
        <Menu.Item leftSection={<Icon name="user" />} onClick={() => void navigate({ to: '/account' })}>
          Account and keys
        </Menu.Item>
        {user?.operator === true && (
          <Menu.Item leftSection={<Icon name="admin" />} onClick={() => void navigate({ to: '/admin' })}>
            Administration
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {themeChoices.map(({ value, label }) => (
          <Menu.Item
            key={value}
            closeMenuOnClick={false}
            onClick={() => choose(value)}
            rightSection={theme === value ? <Icon name="check" /> : null}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
