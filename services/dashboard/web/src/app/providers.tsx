import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { SignInAgain } from '../kit/dialogs/sign-in-again.tsx'
import { Toasts } from '../kit/toast.tsx'
import { styleNonce } from '../policy.ts'
import { FeaturesContext } from '../shell/use-features.ts'
import { features } from './features.ts'
import { queries } from './queries.ts'
import { cssVariablesResolver, theme } from './theme.ts'

/** What every page and the gallery need around them. */
export function Providers({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <FeaturesContext value={features}>{children}</FeaturesContext>
        <SignInAgain />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  )
}
