# etcd, API server, controllers and scheduler, with certificates of their own.
make_certificates() {
  local names="DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
  names="$names,DNS:kubernetes.default.svc.cluster.local,IP:$net.1,IP:$services.1,IP:127.0.0.1"
  mkdir -p "$state/pki"
  (
    cd "$state/pki"
    exec 2> /dev/null
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 30 -subj /CN=cluster
    openssl req -newkey rsa:2048 -nodes -keyout apiserver.key -out apiserver.csr -subj /CN=kube-apiserver
    openssl x509 -req -in apiserver.csr -CA ca.crt -CAkey ca.key -days 30 -out apiserver.crt \
      -extfile <(echo "subjectAltName=$names")
    openssl req -newkey rsa:2048 -nodes -keyout proxy.key -out proxy.csr -subj /CN=aggregator
    openssl x509 -req -in proxy.csr -CA ca.crt -CAkey ca.key -days 30 -out proxy.crt
    openssl genrsa -out sa.key 2048
    openssl rsa -in sa.key -pubout -out sa.pub
    echo "$(openssl rand -hex 16),admin,admin,system:masters" > tokens.csv
  )
  cat > "$state/kubeconfig" << END
apiVersion: v1
kind: Config
current-context: cluster
clusters: [{name: cluster, cluster: {server: "https://$net.1:6443", certificate-authority: $state/pki/ca.crt}}]
users: [{name: admin, user: {token: $(cut -d, -f1 "$state/pki/tokens.csv")}}]
contexts: [{name: cluster, context: {cluster: cluster, user: admin}}]
END
}

start_control_plane() {
  local pki=$state/pki
  start cp etcd "$bin/etcd" --data-dir "$state/etcd" --unsafe-no-fsync --log-level error
  start cp apiserver "$bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 \
    --advertise-address=$net.1 --secure-port=6443 --allow-privileged --authorization-mode=RBAC \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    --client-ca-file="$pki/ca.crt" --token-auth-file="$pki/tokens.csv" \
    --service-account-key-file="$pki/sa.pub" --service-account-signing-key-file="$pki/sa.key" \
    --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range=$services.0/16 \
    --kubelet-preferred-address-types=InternalIP --enable-aggregator-routing \
    --requestheader-client-ca-file="$pki/ca.crt" --requestheader-allowed-names=aggregator \
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --proxy-client-cert-file="$pki/proxy.crt" --proxy-client-key-file="$pki/proxy.key"
  until_true 180 kubectl get --raw /readyz
  start cp manager "$bin/kube-controller-manager" --kubeconfig="$state/kubeconfig" --leader-elect=false \
    --service-account-private-key-file="$pki/sa.key" --root-ca-file="$pki/ca.crt" ${CONTROLLER_OPTIONS:-}
  start cp scheduler "$bin/kube-scheduler" --kubeconfig="$state/kubeconfig" --leader-elect=false
}
