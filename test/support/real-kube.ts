import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  apiserverArguments,
  type ControlPlane,
  controllerManagerArguments,
  etcdArguments,
  FILES,
} from './real-kube-arguments.ts';
import { type AuditEvent, auditLog } from './real-kube-audit.ts';
import { type KubeBinaries, kubeBinaries } from './real-kube-binaries.ts';
import { authorityOf, certificateOf, writeKubeconfig, writeServerFiles } from './real-kube-files.ts';
import { startNodes } from './real-kube-nodes.ts';
import { freePorts } from './real-kube-ports.ts';
import { guardedServers, type ServerProcess } from './real-kube-process.ts';
import { type KubeRequest, kubeConnection } from './real-kube-request.ts';
import { createNamespace, serviceAccountToken, type TokenOptions } from './real-kube-setup.ts';
import { until } from './until.ts';

export type { AuditEvent } from './real-kube-audit.ts';
export { type KubeBinaries, kubeBinaries, skipRealKube } from './real-kube-binaries.ts';
export type { KubeBody, KubeRequest, KubeResponse } from './real-kube-request.ts';

export interface RealKubeOptions {
  /** Deployments get pods, namespaces go away, and so on. */
  readonly controllerManager?: boolean;
  readonly audit?: boolean;
  /** A file for the audit log, which outlives the control plane. */
  readonly auditLog?: string;
}

/** A control plane of its own, without nodes until they are started, on the loopback interface. */
export interface RealKube {
  readonly server: string;
  /** PEM. */
  readonly ca: string;
  /** Of the server, PEM: who has it can stand in for the server. */
  readonly certificate: { readonly cert: string; readonly key: string };
  readonly adminToken: string;
  readonly binaries: KubeBinaries;
  /** The processes that run now. */
  pids(): number[];
  /** Writes a kubeconfig file, for the admin or the token, and returns its path. */
  kubeconfig(name?: string, token?: string): string;
  /** A request as user `admin`, whom nothing but this speaks as. */
  readonly admin: KubeRequest;
  /** A request as user `harness`, as what the functions here ask by themselves; it may do everything. */
  readonly harness: KubeRequest;
  as(token: string): KubeRequest;
  /** Returns when pods can be made in it. */
  createNamespace(name: string): Promise<void>;
  /** A token of the service account, which is made if need be. */
  serviceAccountToken(namespace: string, name: string, options?: TokenOptions): Promise<string>;
  /** All requests that are answered by now, of everyone. */
  audit(): readonly AuditEvent[];
  auditMark(): number;
  auditSince(mark: number): AuditEvent[];
  /** The API server is not there until it is started again, with the same data, address and certificate. */
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
  /**
   * From here on pods are placed on nodes and run, or finish if they are to finish; one whose image has a tag with `broken` in it
   * never gets ready, and one with `crashing` in it is restarted again and again.
   */
  startNodes(): Promise<void>;
  close(): Promise<void>;
}

/** For a hook that starts a control plane: the first start on a machine builds it. */
export const REAL_KUBE_TIMEOUT_MS = 2_400_000;

const START_TIMEOUT_SECONDS = 120;

export async function startRealKube(options: RealKubeOptions = {}): Promise<RealKube> {
  const { controllerManager = true, audit = true } = options;
  const binaries = await kubeBinaries();
  if ('missing' in binaries) throw new Error(binaries.missing);
  const [etcdPort, etcdPeerPort, apiPort] = (await freePorts(3)) as [number, number, number];
  const folder = mkdtempSync(join(tmpdir(), 'echelon-kube-'));
  const { auditLog: log = join(folder, FILES.auditLog) } = options;
  const plane: ControlPlane = { folder, etcdPort, etcdPeerPort, apiPort, controllerManager, audit, auditLog: log };
  const control = controlPlane(plane, binaries);
  try {
    await control.start();
  } catch (error) {
    await control.close();
    throw error;
  }
  return realKube(plane, binaries, control);
}

type Component = 'controller-manager' | 'scheduler' | 'kwok';

interface Control {
  readonly server: string;
  readonly users: Readonly<Record<'admin' | 'harness' | Component, string>>;
  requester(token: string): KubeRequest;
  pids(): number[];
  start(): Promise<void>;
  startApiServer(): Promise<void>;
  stopApiServer(): Promise<void>;
  startNodes(): Promise<void>;
  close(): Promise<void>;
}

function controlPlane(plane: ControlPlane, binaries: KubeBinaries): Control {
  const { folder } = plane;
  const servers = guardedServers(folder);
  const server = `https://127.0.0.1:${plane.apiPort}`;
  const connection = kubeConnection(server, () => authorityOf(folder));
  const people = { admin: newToken(), harness: newToken() };
  const users = { ...people, 'controller-manager': newToken(), scheduler: newToken(), kwok: newToken() };
  const kubeconfig = (user: Component): string =>
    writeKubeconfig(join(folder, `${user}.kubeconfig`), { server, ca: authorityOf(folder), token: users[user] });
  const harness = connection.requester(users.harness);
  let apiServer: ServerProcess | undefined;

  async function startApiServer(): Promise<void> {
    if (apiServer?.hasExited() === false) return;
    apiServer = servers.start('kube-apiserver', binaries.apiserver, apiserverArguments(plane));
    await ready(apiServer, async () => {
      // The certificate may have been read while the server was still writing it.
      connection.reset();
      return (await harness('GET', '/readyz')).status === 200;
    });
  }

  async function startControllerManager(): Promise<void> {
    const args = controllerManagerArguments(kubeconfig('controller-manager'));
    const manager = servers.start('kube-controller-manager', binaries.controllerManager, args);
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await ready(manager, async () => (await harness('GET', account)).status === 200);
  }

  return {
    ...{ server, users, requester: connection.requester, pids: servers.pids, startApiServer },
    async start() {
      writeServerFiles(folder, users);
      servers.start('etcd', binaries.etcd, etcdArguments(plane));
      await startApiServer();
      if (plane.controllerManager) await startControllerManager();
    },
    async stopApiServer() {
      await apiServer?.kill();
      connection.reset();
    },
    startNodes: () => startNodes({ folder, servers, harness, kubeconfig, ready }),
    async close() {
      connection.reset();
      await servers.close();
    },
  };
}

function realKube(plane: ControlPlane, binaries: KubeBinaries, control: Control): RealKube {
  const { folder } = plane;
  const { server, users, requester } = control;
  const ca = authorityOf(folder);
  const harness = requester(users.harness);
  const log = auditLog(plane.auditLog);
  const audit = (): readonly AuditEvent[] => {
    if (!plane.audit) throw new Error('this control plane was started without an audit log');
    return log.events();
  };
  return {
    ...{ server, ca, adminToken: users.admin, binaries, harness, admin: requester(users.admin), as: requester, audit },
    certificate: certificateOf(folder),
    pids: control.pids,
    kubeconfig: (name = 'admin', token = users.admin) =>
      writeKubeconfig(join(folder, `${name}.kubeconfig`), { server, ca, token }),
    createNamespace: (name) => createNamespace(harness, name, plane.controllerManager),
    serviceAccountToken: (namespace, name, options) => serviceAccountToken(harness, namespace, name, options),
    auditMark: () => audit().length,
    auditSince: (mark) => audit().slice(mark),
    stopApiServer: control.stopApiServer,
    startApiServer: control.startApiServer,
    startNodes: control.startNodes,
    close: control.close,
  };
}

/** Waits for the server; one that is gone is not waited for. */
async function ready(server: ServerProcess, isReady: () => Promise<boolean>): Promise<void> {
  const look = async (): Promise<boolean> => server.hasExited() || (await isReady());
  try {
    await until(look, { timeoutSeconds: START_TIMEOUT_SECONDS, what: `${server.name} is ready` });
  } catch (cause) {
    throw new Error(`${(cause as Error).message}; it logged:\n${server.tail()}`, { cause });
  }
  if (server.hasExited()) throw new Error(`${server.name} ended at its start; it logged:\n${server.tail()}`);
}

function newToken(): string {
  return randomBytes(16).toString('hex');
}
