import { PublicKey, type PublicKeyKind } from '../../../model/public-key/public-key.ts';

function rsa(bits: number, n: string): PublicKey {
  return new PublicKey('rsa', { kty: 'RSA', n, e: 'AQAB' }, bits);
}

/**
 * Public keys whose private halves nobody has, of every kind and the usual sizes. A signature that was not right is
 * verified against those that its length fits, so that the time tells nobody which App Keys are known, nor what kind of
 * key they have (spec §3.5).
 */
export const dummyKeys: Readonly<Record<PublicKeyKind, readonly PublicKey[]>> = {
  ed25519: [
    new PublicKey('ed25519', { kty: 'OKP', crv: 'Ed25519', x: 'sGubI_0TBjphv9GlF2jE9cLSpoXN8G_ABdYfxr82yLw' }, 256),
  ],
  'p-256': [
    new PublicKey(
      'p-256',
      {
        kty: 'EC',
        crv: 'P-256',
        x: 'IKSlS_oTmtLLTfR3sPzAF89oa2xA3Pd069rCQbL7tK4',
        y: '-UmcVRtF196vNRZeFOjB2Ljm81mBl5XPJDQeO9RW_tc',
      },
      256,
    ),
  ],
  'p-384': [
    new PublicKey(
      'p-384',
      {
        kty: 'EC',
        crv: 'P-384',
        x: 'MKsKH6Ygp2p9gGmi_CEy5c9ijRQzkQj5X551ovc1-HPIGqnT0LeOEfS-Hr4x9r8n',
        y: 'k8uduep9E6k6LDJKytuSTlSnD1KszdJjOmbYQDSpCThZ_hkAb61iiaBE8dvAcfAQ',
      },
      384,
    ),
  ],
  rsa: [
    rsa(
      2048,
      'oEssv-1RQ7dKGJnPI6yExl9qBxvIoRoRJ5aL0zZ6_shIlhCJxl5WbNq35Gf0du9LLfAxkKnXXFSoDaBtiSi0VQPy4jrSxOCldons8DOvt-jhIMEAOZdzBKQYJulbrVbt6P7XUhEc7DeOsecg9j5hV9PNbNRlur1bKnb6BPsU9h5jjn-vluyok9mSeZjxLb-x95hbayClD8f-KfudrLPJFGgLbwSnU3OLraEGuNovrp-m6RITCDJvw6MOakAi93ohSAF1D_0XRneP6FLubkGjD9x1ozueEiNridK3GNXxwx6ffLLTYkUQmP-nksLjTeTqmmOhxi3TbmwDzV_4zPqr-w',
    ),
    rsa(
      3072,
      'zYBxSSyvdlDOnCuIHvfdQp1ZAg8cokhKZGIP4Vh6_ufgPWYv3J4opIBXyeEUkcbwp8m1eikE6M-ejp0HW_3sZpdi2VOUp2cZUZ-Fvp9ZE0GU2piaeBRIovLd_7Q5KMBu_dNDOzqlU8l0TQP8Z-uKEaACaam0NKe7soD_FJChtQs400DhBWr5AAvLNMXnDJzGpDoMjitd_HW_qEoQ1lssWeAeMj6IwkSY9JgJacH8AxbKIkozy6b0c5Au4v_5Yq9Gmr02i8PwMlq6nC4zYhrA3Dhd2zhD9KJ7sxXYChuyfSrSJMh0LJqDjckAN1WdWvUaozEcqMsIH_fmAKcXiyE9u_gqR1-BgXfTdg4W7FGW46bIlaPmbvQCJchTxr8Jk-mgEhQ2favyX8mGx0ESd8G-FhdbSiozNhE5H4EU79cQDeywKw-Hr-XVWez50LkZ-_xcnxy_9m5XiQN-_rK0hiaFEJeNEVWyHKRDgaPeFXFrv3ENdm1KJ9zcI6OXkPuANKin',
    ),
    rsa(
      4096,
      'vWAq0yjQhpzDRTEzMQgP1vzoDQr6TMxszZ9zGHbSjUXeD7Jo6rdbDFhluWH1DaulQuTAJ9BojVz_WyusFU0xUxVXkzW0k0hKZWS5dFEH74ZD1TcOOTkDCslVznZGNv39gvMZjpTn6r9wFL6ww_CDE0tbgtzwJ7JmgYBKtXgtaBNb4bVvoSYXC8v7muRFxz0dTXnEMgbgX3fHPFL0xIXHhagWRaBN0gvyeTb36-s3-oUzjU2DF4EpNZlriaprCs82xKmnUylzzcDETt9ffuaylIaHctASEq8BjxPKfqIiivKGpuaZqo245r9ho9yhmOruDYpzgILJ_3R9ZnB_p13mJ2eK3jXZ1--BDnDSht9X9F0_vZ15xchNGdJZgNqgRd9xyMCTLP6pUkWYoJUJQLG9oKU3PShDAF0eT5ugo095uDAkGrFj7XwyN4831Jzs9wl8Zf4yuyct3TPRpuJ8Vmiy-TCbvEn_d-3bDvnfoR94UCwv-k2Nx7b6cW6k7b65_QJ82XIil4fB0gbYsM79OScqFuWgksCpmvHkujjM7ACzC9ka8RJD4l72gWxtj8gU3YqJW-zZU0SCDdO-Q-vaK-yYIPK_Dj7rI48D-0rJ42YTjghVnO3bWVEuthcYoO4zhC8sZEnEw8zS7qhOSmexP40_iplY7EmrTtSAhTHe6zhDCWs',
    ),
  ],
};
