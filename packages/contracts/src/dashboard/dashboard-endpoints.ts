import {
  changeMe,
  createWorkspace,
  endMySession,
  listMySessions,
  readMe,
  readPreferences,
  setUp,
  writePreferences,
} from './account.ts'
import {
  changeUser,
  changeWorkspace,
  correctWorkspaceWallet,
  createResetLink,
  creditWorkspace,
  listAllUsers,
  listAllWorkspaces,
} from './admin.ts'
import { listAllCredits, readLedgers, readWork, retryWork } from './admin-ledgers.ts'
import { changeWorkspaceLimits, listAllProviders } from './admin-limits.ts'
import { downloadAudit, downloadSealedAudit, listAudit } from './audit.ts'
import { removeBudget, setBudget } from './budgets.ts'
import type { DashboardEndpoint } from './dashboard-endpoint.ts'
import { listEvents } from './events.ts'
import { changeApiKey, createApiKey, listApiKeys, revokeApiKey } from './keys.ts'
import { readLive } from './live.ts'
import {
  acceptInvitation,
  changeMember,
  createInvitation,
  leaveWorkspace,
  listInvitations,
  listMembers,
  readInvitation,
  removeMember,
  withdrawInvitation,
} from './members.ts'
import { listProviderKeys, removeProviderKey, saveProviderKey } from './provider-keys.ts'
import { changeSettings, readSettings } from './settings.ts'
import {
  addPasskey,
  changePassword,
  listPasskeys,
  readPasskeyOptions,
  readPasskeySignInOptions,
  removePasskey,
  resetPassword,
  signInWithPasskey,
  signInWithPassword,
  signInWithProvider,
  signOut,
} from './sign-in.ts'
import { listViews, writeViews } from './views.ts'

/** Every endpoint that the dashboard itself answers. */
export const dashboardEndpoints: readonly DashboardEndpoint[] = [
  readMe,
  changeMe,
  setUp,
  signInWithPassword,
  signInWithProvider,
  signInWithPasskey,
  readPasskeySignInOptions,
  signOut,
  changePassword,
  resetPassword,
  listPasskeys,
  readPasskeyOptions,
  addPasskey,
  removePasskey,
  createWorkspace,
  readPreferences,
  writePreferences,
  listMySessions,
  endMySession,
  readSettings,
  changeSettings,
  listApiKeys,
  createApiKey,
  changeApiKey,
  revokeApiKey,
  setBudget,
  removeBudget,
  listProviderKeys,
  saveProviderKey,
  removeProviderKey,
  listMembers,
  changeMember,
  removeMember,
  leaveWorkspace,
  listInvitations,
  createInvitation,
  withdrawInvitation,
  readInvitation,
  acceptInvitation,
  listAudit,
  downloadAudit,
  downloadSealedAudit,
  readLive,
  listEvents,
  listViews,
  writeViews,
  listAllWorkspaces,
  listAllUsers,
  changeUser,
  createResetLink,
  creditWorkspace,
  correctWorkspaceWallet,
  changeWorkspace,
  changeWorkspaceLimits,
  listAllProviders,
  listAllCredits,
  readLedgers,
  readWork,
  retryWork,
]
