import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Reply, SeenRequest } from './local-http.ts';

/** An authority made for these tests and used for nothing else; it has signed the two below. Valid for a century. */
export const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBYzCCAQmgAwIBAgICEAAwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOdGVzdCBh
dXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBkxFzAV
BgNVBAMMDnRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
GiREnHN/uJ8k5/S1THM+iD8ZAk5uwlm4gN5qM3cI+68GQhHsaCpt3535g91vNsdu
2463gOLiNMtePCrN7fjHq6M/MD0wDwYDVR0TAQH/BAUwAwEB/zALBgNVHQ8EBAMC
AQYwHQYDVR0OBBYEFJ7JQPFfJjqTj5335/QdDjfFTLF/MAoGCCqGSM49BAMCA0gA
MEUCIQD/Lq2wEvlAyKKT9mRv2a1/FC8o09Ul77AjHAMWTA+RLQIgPeH4QijrKbPx
vuLmRVApy1tYftut2yVPNsu6Kj6mNn0=
-----END CERTIFICATE-----
`;

/** For the name `kube.test`. */
export const SERVER = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBiTCCAS+gAwIBAgICEAEwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOdGVzdCBh
dXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzAN
BgNVBAMMBnNlcnZlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKulpPePVBw3
+fjF0zNXcvq7yCcDjKmKyN+kuQYU48AFatTSBphqN8nRJA8ypk+gAaR7IaiFSlMm
rAhZkj/vPsejbTBrMBQGA1UdEQQNMAuCCWt1YmUudGVzdDATBgNVHSUEDDAKBggr
BgEFBQcDATAdBgNVHQ4EFgQUQOQRBBJbfZa01Vri0B8/bhx5xjIwHwYDVR0jBBgw
FoAUnslA8V8mOpOPnffn9B0ON8VMsX8wCgYIKoZIzj0EAwIDSAAwRQIhAPJPLhuu
rCkfKimY2dJTlJYD3trCgr18Kjzh0fKnDDbEAiAhZ7TGuAE9y8jfUuVaBusA7Xzi
aHST2FNuQqGrvXD5RQ==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3y0KjEMGIZLFBk7Q
tPDzZpE2ns3az5VPdotVUI9sXmShRANCAASrpaT3j1QcN/n4xdMzV3L6u8gnA4yp
isjfpLkGFOPABWrU0gaYajfJ0SQPMqZPoAGkeyGohUpTJqwIWZI/7z7H
-----END PRIVATE KEY-----
`,
};

/** For the user `client`. */
export const CLIENT = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBdDCCARmgAwIBAgICEAIwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOdGVzdCBh
dXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBExDzAN
BgNVBAMMBmNsaWVudDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFZDeKX7x35g
VvjPaXn38WrkZZDRV4GNNpT+DO5O97xHW19NI/p0o7WtG3Rtpgnn96dIcimSEBeq
lHmbBdJgux6jVzBVMBMGA1UdJQQMMAoGCCsGAQUFBwMCMB0GA1UdDgQWBBTBZNo7
boTX0ZVfhyH8ojbZONIazzAfBgNVHSMEGDAWgBSeyUDxXyY6k4+d9+f0HQ43xUyx
fzAKBggqhkjOPQQDAgNJADBGAiEA1auNdT8xerLr0xJqW5cWoI8X6RpMcIS8cTM+
Glr7sfECIQCFRgz+ufdFFJEZ0e2MF1OW1AL17leCsYAEhxRyl+E/jw==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkZs0+Izx2L6RKwkD
+3FDEtFD6Z3SEqc2fgo+b8r0obqhRANCAARWQ3il+8d+YFb4z2l59/Fq5GWQ0VeB
jTaU/gzuTve8R1tfTSP6dKO1rRt0baYJ5/enSHIpkhAXqpR5mwXSYLse
-----END PRIVATE KEY-----
`,
};

export interface LocalHttps {
  readonly url: string;
  /** The names on the client certificates, in order of arrival; empty for none. */
  readonly clients: string[];
  close(): Promise<void>;
}

/** An HTTPS server on a free local port, with a certificate for `kube.test`. It asks for client certificates. */
export async function startLocalHttps(reply: Reply): Promise<LocalHttps> {
  const clients: string[] = [];
  const server = createServer({ ...SERVER, ca: AUTHORITY, requestCert: true, rejectUnauthorized: false });
  server.on('request', (incoming, response) => {
    const { socket, method = '', url = '', headers } = incoming;
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    clients.push(String(subject?.CN ?? ''));
    incoming.resume();
    void reply(response, { method, path: url, query: {}, headers, body: '' } satisfies SeenRequest);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
